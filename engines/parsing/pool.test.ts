import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Dialect } from './dialects.ts'
import type { Parsed } from './messages.ts'
import { ParsePool, type PoolOptions } from './pool.ts'

type Sources = Record<string, [Dialect, string]>

const good: Sources = {
  'first.ts': ['ts', 'export function first() {}'],
  'second.py': ['python', 'def second(): pass\n'],
  'third.go': ['go', 'package p\nfunc third() {}\n'],
  'fourth.tsx': ['tsx', 'export const fourth = () => <p />'],
}

/** What comes out for each file: its symbols, or the reason why there are none. */
async function parseAll(sources: Sources, options: PoolOptions = {}) {
  await using pool = new ParsePool({ size: 2, timeoutMs: 5_000, ...options })
  return await parseIn(pool, sources)
}

async function parseIn(pool: ParsePool, sources: Sources) {
  const files = Object.entries(sources)
  const parsed = await Promise.all(files.map(([, [dialect, text]]) => pool.parse(Buffer.from(text), dialect)))
  return Object.fromEntries(files.map(([name], index) => [name, outcome(parsed[index])]))
}

function outcome(parsed: Parsed | undefined) {
  if (!parsed || 'unparsed' in parsed) return parsed?.unparsed
  return parsed.facts.symbols.map((symbol) => symbol.name)
}

const goodOutcome = { 'first.ts': ['first'], 'second.py': ['second'], 'third.go': ['third'], 'fourth.tsx': ['fourth'] }

test('parses files of several languages in other processes', async () => {
  await using pool = new ParsePool({ size: 2 })
  expect(await parseIn(pool, good)).toEqual(goodOutcome)
  expect(pool.pids).not.toContain(process.pid)
})

test('names the files that crash the parser and parses all the others', async () => {
  const outcomes = await parseAll(
    {
      ...good,
      'brackets.ts': ['ts', '['.repeat(20_000)],
      'functions.ts': ['ts', 'function f(){'.repeat(20_000)],
      'between.ts': ['ts', 'export function between() {}'],
      'arrows.ts': ['ts', `${'a=>'.repeat(20_000)}1`],
    },
    { checkNesting: false },
  )
  expect(outcomes).toEqual({
    ...goodOutcome,
    'between.ts': ['between'],
    'brackets.ts': 'crash',
    'functions.ts': 'crash',
    'arrows.ts': 'crash',
  })
})

test('refuses what nests too deeply before it can crash the parser', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 5_000 })
  await parseIn(pool, good)
  const before = pool.pids
  const outcomes = await parseIn(pool, {
    'brackets.ts': ['ts', '['.repeat(20_000)],
    'functions.ts': ['ts', 'function f(){'.repeat(20_000)],
    'chain.ts': ['ts', `1${'+1'.repeat(20_000)}`],
    ...good,
  })
  expect(outcomes).toEqual({ ...goodOutcome, 'brackets.ts': 'error', 'functions.ts': 'error', 'chain.ts': 'error' })
  expect(pool.pids).toEqual(before)
})

test('survives what is not source code at all', async () => {
  const outcomes = await parseAll(
    {
      'zeros.ts': ['ts', '\0'.repeat(1_000_000)],
      'zeros.py': ['python', '\0'.repeat(200_000)],
      'unicode.rb': ['ruby', '\u{1F600}é\u202E'.repeat(100_000)],
      'minified.js': ['jsx', `var a=[${'{b:function(){return 1}},'.repeat(200_000)}]`],
      'empty.go': ['go', ''],
      ...good,
    },
    { timeoutMs: 20_000 },
  )
  expect(outcomes).toEqual({
    ...goodOutcome,
    'zeros.ts': [],
    'zeros.py': [],
    'unicode.rb': [],
    'minified.js': [],
    'empty.go': [],
  })
})

test('stops a file that takes too long and goes on with the next', async () => {
  const outcomes = await parseAll({ 'slow.php': ['php', slowSource], ...good }, { timeoutMs: 300, size: 1 })
  expect(outcomes).toEqual({ ...goodOutcome, 'slow.php': 'timeout' })
})

test('kills a process that does not stop by itself', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 1_000 })
  const { pid, parsing } = await startSlowFile(pool)
  // A process that stands still looks like a parser in an endless loop.
  process.kill(pid, 'SIGSTOP')
  expect(await parsing).toEqual({ 'slow.php': 'timeout', 'next.ts': ['next'] })
  expect(pool.pids).not.toContain(pid)
})

test('blames the file at hand when its process dies of a fault', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 1_000 })
  const { pid, parsing } = await startSlowFile(pool)
  process.kill(pid, 'SIGSEGV')
  expect(await parsing).toEqual({ 'slow.php': 'crash', 'next.ts': ['next'] })
})

test('gives a file one more chance when its process was ended by somebody else', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 60_000 })
  const { pid, parsing } = await startSlowFile(pool)
  let settled = false
  void parsing.finally(() => (settled = true))
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => pool.pids.some((other) => other !== pid), { timeout: 20_000 }).toBe(true)
  await delay(600)
  expect(settled).toBe(false)
  process.kill(pool.pids[0] ?? 0, 'SIGKILL')
  expect(await parsing).toEqual({ 'slow.php': 'crash', 'next.ts': ['next'] })
})

test('ends its processes and answers nobody any more when it is aborted', async () => {
  const abort = new AbortController()
  await using pool = new ParsePool({ size: 2, signal: abort.signal })
  await parseIn(pool, good)
  const pids = pool.pids
  const parsing = parseIn(pool, { 'large.ts': ['ts', largeSource()] })
  abort.abort(new Error('no longer wanted'))
  await expect(parsing).rejects.toThrow('no longer wanted')
  await expect(pool.parse(Buffer.from(''), 'ts')).rejects.toThrow('no longer wanted')
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
  await using late = new ParsePool({ signal: abort.signal })
  await expect(late.parse(Buffer.from(''), 'ts')).rejects.toThrow('no longer wanted')
})

test('starts more processes only when there is work for them', async () => {
  await using pool = new ParsePool({ size: 2, timeoutMs: 60_000 })
  await parseIn(pool, good)
  expect(pool.pids).toHaveLength(1)
  const large = `package p\n${'func f() { if a { return } }\n'.repeat(30_000)}`
  await parseIn(pool, Object.fromEntries([1, 2, 3, 4].map((n) => [`large${n}.go`, ['go', large]])))
  expect(pool.pids).toHaveLength(2)
})

/** Takes its parser several seconds. */
const slowSource = `<?php ${'if ( foreach match [ => class ] ) fn '.repeat(20_000)}`

/** Resolves once a process of the pool is at a file that keeps it busy. */
async function startSlowFile(pool: ParsePool) {
  await parseIn(pool, { 'first.php': ['php', '<?php function first() {}'] })
  const [pid = 0] = pool.pids
  const parsing = parseIn(pool, { 'slow.php': ['php', slowSource], 'next.ts': ['ts', 'function next() {}'] })
  await delay(400)
  return { pid, parsing }
}

function largeSource(): string {
  return Array.from({ length: 20_000 }, (_, index) => `function f${index}() { return ${index} }\n`).join('')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
