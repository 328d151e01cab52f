import { expect, test, vi } from 'vitest'
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

/** Returns the symbols of each file, or the reason why it has none. */
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

test('describes symbols of files, with the protection that parsing has', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 2_000 })
  const place = { name: 'first', startLine: 1, endLine: 1 }
  const describe = (dialect: Dialect, text: string, places = [place]) =>
    pool.describe(Buffer.from(text), dialect, places)
  const good = 'function first(a) { if (a) throw new Error("a") }'
  const [first, nested, slow, python, none] = await Promise.all([
    describe('ts', good),
    describe('ts', '['.repeat(20_000)),
    describe('php', slowSource),
    describe('python', 'def first(a): return a or 1\n'),
    describe('component', '<p />'),
  ])
  expect(first).toMatchObject({ symbols: [{ cases: [{ condition: 'a', outcome: 'throws', result: 'Error: a' }, {}] }] })
  expect([nested, slow, none]).toEqual([{ unparsed: 'error' }, { unparsed: 'timeout' }, { symbols: [null] }])
  expect(python).toMatchObject({ symbols: [{ cases: [{ condition: 'a is falsy', outcome: 'returns' }] }] })
})

test('reports a crash for the file whose symbols were being described', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 60_000 })
  const place = { name: 'all', startLine: 1, endLine: 1 }
  const slow = pool.describe(Buffer.from(slowSource), 'php', [place])
  const next = pool.parse(Buffer.from('function next() {}'), 'ts')
  process.kill(await parsingPid(pool), 'SIGSEGV')
  expect(await slow).toEqual({ unparsed: 'crash' })
  expect(outcome(await next)).toEqual(['next'])
})

test('refuses sources that nest too deeply before they crash the parser', async () => {
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

test('parses files that are not source code', async () => {
  const outcomes = await parseAll(
    {
      'zeros.ts': ['ts', '\0'.repeat(1_000_000)],
      'zeros.py': ['python', '\0'.repeat(200_000)],
      'unicode.rb': ['ruby', '\u{1F600}é\u202E'.repeat(100_000)],
      'minified.js': ['jsx', `var a=[${'{b:function(){return 1}},'.repeat(40_000)}]`],
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

test('stops a file that takes too long and continues with the next', async () => {
  const outcomes = await parseAll({ 'slow.php': ['php', slowSource], ...good }, { timeoutMs: 300, size: 1 })
  expect(outcomes).toEqual({ ...goodOutcome, 'slow.php': 'timeout' })
})

test('kills a process that does not stop by itself', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 2_000 })
  const { pid, slow, next } = await startSlowFile(pool)
  // A stopped process looks like a parser in an endless loop.
  process.kill(pid, 'SIGSTOP')
  expect([outcome(await slow), outcome(await next)]).toEqual(['timeout', ['next']])
  expect(pool.pids).not.toContain(pid)
})

test('reports a crash for the file at which its process died of a fault', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 60_000 })
  const { pid, slow, next } = await startSlowFile(pool)
  process.kill(pid, 'SIGSEGV')
  expect([outcome(await slow), outcome(await next)]).toEqual(['crash', ['next']])
})

test('parses a file once more when its process was killed from outside, and gives up the second time', async () => {
  await using pool = new ParsePool({ size: 1, timeoutMs: 60_000 })
  const { pid, slow, next } = await startSlowFile(pool)
  let isSettled = false
  void slow.then(() => (isSettled = true))
  process.kill(pid, 'SIGKILL')
  const second = await parsingPid(pool, pid)
  expect(isSettled).toBe(false)
  process.kill(second, 'SIGKILL')
  expect([outcome(await slow), outcome(await next)]).toEqual(['crash', ['next']])
})

test('ends its processes and rejects all files when it is aborted', async () => {
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
  // A comment is as large as code and costs little to parse.
  const large = `package p\n// ${'x'.repeat(600_000)}\n`
  await parseIn(pool, Object.fromEntries([1, 2, 3, 4].map((n) => [`large${n}.go`, ['go', large]])))
  expect(pool.pids).toHaveLength(2)
})

/** Takes its parser several seconds. */
const slowSource = `<?php ${'if ( foreach match [ => class ] ) fn '.repeat(20_000)}`

/** Gives the pool a file that keeps a process busy, then a harmless one, and waits until the first is being parsed. */
async function startSlowFile(pool: ParsePool) {
  const slow = pool.parse(Buffer.from(slowSource), 'php')
  const next = pool.parse(Buffer.from('function next() {}'), 'ts')
  return { pid: await parsingPid(pool), slow, next }
}

async function parsingPid(pool: ParsePool, ended?: number): Promise<number> {
  return await vi.waitFor(
    () => {
      const pid = pool.parsingPids.find((other) => other !== ended)
      if (pid === undefined) throw new Error('no process parses')
      return pid
    },
    { timeout: 25_000, interval: 10 },
  )
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
