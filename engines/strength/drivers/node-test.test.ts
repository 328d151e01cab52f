import { expect, test } from 'vitest'
import { decisions, openTrial, told } from './testing.ts'

const shop = {
  'package.json': '{ "type": "module" }',
  'src/price.js': `
const rates = { low: 5 + 2, high: 19 }
export const rateOf = (kind) => rates[kind] ?? 0
export function total(net, kind) {
  if (net < 0) throw new RangeError('negative')
  const tax = (net * rateOf(kind)) / 100
  return tax > 50 ? net + 50 : net + tax
}
const known = new Map()
export function slow(n) {
  const kept = known.get(n)
  if (kept !== undefined) return kept
  const value = n * 3
  known.set(n, value)
  return value
}
export function count(n) {
  let left = n
  let steps = 0
  while (left > 0) {
    left = next(left)
    steps += 1
  }
  return steps
}
function next(n) {
  return n - 1
}
export const setUp = () => ({ size: 2 * 4 })
export const unused = (a) => a + 1
`,
  'src/hooks.cjs': `
let open = 0
exports.enter = () => { open += 1 }
exports.leave = () => { open -= 1 }
exports.isOpen = () => open > 0
exports.later = (value, done) => setImmediate(() => done(null, value + 1))
exports.half = (n) => n / 2
`,
  'test/price.test.js': `
import test, { before, describe, it } from 'node:test'
import assert from 'node:assert/strict'
import { count, rateOf, setUp, slow, total } from '../src/price.js'
let made
before(() => { made = setUp() })
describe('total', { concurrency: true }, async () => {
  await null
  it('adds the tax', () => assert.equal(total(100, 'low'), 107))
  it('adds the tax', () => assert.equal(total(1000, 'high'), 1050))
  it('refuses debts', async () => assert.throws(() => total(-1, 'low'), RangeError))
})
test('counts', async (t) => {
  await t.test('down', () => assert.equal(count(3), 3))
})
test('is slow once', () => assert.equal(slow(4), 12))
test('has a size', () => assert.equal(made.size, 8))
test('is to do', { todo: true }, () => assert.equal(rateOf('none'), 1))
test.skip('is skipped', () => assert.equal(total(7), 8))
test('fails anyway', () => assert.equal(rateOf('high'), 20))
`,
  'test/hooks.test.cjs': `
const { afterEach, beforeEach, suite, test } = require('node:test')
const assert = require('node:assert')
const { enter, half, isOpen, later, leave } = require('../src/hooks.cjs')
suite('hooks', () => {
  beforeEach(() => enter())
  afterEach(() => { leave(); assert.ok(!isOpen()) })
  test('is open', () => assert.ok(isOpen()))
  test('calls back', (t, done) => later(1, (error, value) => { assert.equal(value, 2); done(error) }))
})
test('halves', (t) => { t.after(() => assert.equal(half(4), 2)) })
`,
}

const command = ['node', '--test', 'test/*.test.*js']
const alone = ['--test', '--test-timeout=3000', '--test-skip-pattern=fails anyway', 'test/*.test.*js']

test('says of each mutant what its own source would say in a fresh process', async () => {
  await using trial = await openTrial(shop)
  const events = await trial.drive('node-test.mjs', command)
  const decided = decisions(trial, events)
  expect(decided).toMatchInlineSnapshot(`
    [
      "5 + 2 -> 5 - 2: noticed",
      "rates[kind] ?? 0 -> rates[kind]: survived",
      "net < 0 -> net >= 0: noticed",
      "net < 0 -> net <= 0: survived",
      "throw new RangeError('negative') -> ;: noticed",
      "(net * rateOf(kind)) / 100 -> (net * rateOf(kind)) * 100: noticed",
      "net * rateOf(kind) -> net / rateOf(kind): noticed",
      "tax > 50 -> tax <= 50: noticed",
      "tax > 50 -> tax >= 50: survived",
      "net + 50 -> net - 50: noticed",
      "net + tax -> net - tax: noticed",
      "kept !== undefined -> kept === undefined: noticed",
      "kept -> null: not reached",
      "n * 3 -> n / 3: noticed",
      "known.set(n, value) -> ;: survived",
      "value -> null: noticed",
      "left > 0 -> false: noticed",
      "steps += 1 -> steps -= 1: noticed",
      "steps -> null: noticed",
      "n - 1 -> n + 1: timed_out",
      "{ size: 2 * 4 } -> {}: noticed",
      "2 * 4 -> 2 / 4: noticed",
      "a + 1 -> a - 1: not reached",
      "open += 1 -> open -= 1: noticed",
      "open -= 1 -> open += 1: noticed",
      "open > 0 -> open <= 0: noticed",
      "open > 0 -> open >= 0: noticed",
      "setImmediate(() => done(null, value + 1)) -> null: timed_out",
      "done(null, value + 1) -> null: timed_out",
      "value + 1 -> value - 1: noticed",
      "n / 2 -> n * 2: noticed",
    ]
  `)
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
  expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10, failed: 1 })
  // The results that earlier mutants could have spoiled.
  expect(events.some(({ kind }) => kind === 'unclean')).toBe(true)
  for (const { id, mutant } of trial.mutants.filter(({ mutant }) => mutant.line === 15)) {
    const outcome = (await trial.isNoticed(mutant, 'node', alone)) ? 'noticed' : 'survived'
    expect(decided[id - 1]).toBe(`${told(mutant)}: ${outcome}`)
  }
})

test('says how many tests had ended if one of them never does', async () => {
  const endless = "import { test } from 'node:test'\ntest('ends never', () => { while (true); })\n"
  await using trial = await openTrial({ ...shop, 'test/endless.test.js': endless })
  const events = await trial.drive('node-test.mjs', command, { stopAt: Date.now() + 4_000 })
  expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10, isComplete: false })
  expect(events.find(({ kind }) => kind === 'error')?.message).toContain('only 10 tests had ended without a mutant')
})

test('says which test files ended before all of their tests had run', async () => {
  const ofNode = "import { before, describe, test } from 'node:test'\n"
  await using trial = await openTrial({
    ...shop,
    'test/killed.test.js': "process.kill(process.pid, 'SIGKILL')\n",
    'test/missing.test.js': "import './none.js'\n",
    'test/hook.test.js': `${ofNode}describe('none', () => {
  before(() => { throw new Error('no port') })
  test('never begins', () => {})
})\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  const ready = events.findIndex(({ kind }) => kind === 'ready')
  expect(events[ready]).toMatchObject({ tests: 10, failed: 1 })
  const missing = (name: string, why: string) =>
    `Not all tests of test/${name} ran, and those that are missing may notice what the others accept: their process ${why}.`
  // Before, so that it is about all tests.
  const errors = events.slice(0, ready).flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
  expect(errors.toSorted()).toEqual([
    missing('hook.test.js', 'ended with code 1, and no test had failed'),
    missing('killed.test.js', 'ended unexpectedly'),
    missing('missing.test.js', 'ended with code 1, and no test had failed'),
  ])
  // A later measurement must not take these files for known ones.
  const loaded = events.flatMap(({ kind, file }) => (kind === 'load' ? file?.split('/').at(-1) : []))
  expect(loaded.toSorted()).toEqual(['hooks.test.cjs', 'price.test.js'])
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
})

test('mutants are decided where no test of a file can run twice', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `f${index}`)
  const ofOne = (name: string) => `
let ${name}Ran = 0
test('${name}', () => { assert.equal(++${name}Ran, 1); assert.equal(${name}(4), 5) })`
  await using trial = await openTrial({
    'package.json': shop['package.json'],
    'src/all.js': names.map((name) => `export const ${name} = (n) => n + 1\n`).join(''),
    'test/all.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { ${names.join(', ')} } from '../src/all.js'
${names.map(ofOne).join('')}\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  expect(decisions(trial, events)).toEqual(names.map(() => 'n + 1 -> n - 1: noticed'))
})

test('stops when its time is over, and says so', async () => {
  await using trial = await openTrial(shop)
  const events = await trial.drive('node-test.mjs', command, { stopAt: Date.now() })
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: false })
  expect(events.filter(({ kind }) => kind === 'tried')).toEqual([])
})

const halving = {
  'package.json': shop['package.json'],
  'src/half.js': 'export const half = (n) => n / 2\nexport const twice = (n) => n * 2\n',
  'test/half.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { half } from '../src/half.js'
test('halves', () => assert.equal(half(4), 2))\n`,
}
const ofTwice = "import test from 'node:test'\nimport { twice } from '../src/half.js'\n"

const errorsOf = (events: readonly { kind: string; message?: string }[]) =>
  events.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))

test('tests may replace what the runner uses', async () => {
  await using trial = await openTrial({
    ...halving,
    'test/patches.test.js': `import fs, { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import assert from 'node:assert/strict'
${ofTwice}
JSON.stringify = () => 'x'
JSON.parse = () => null
for (const name of ['appendFileSync', 'existsSync', 'openSync', 'readFileSync', 'writeFileSync', 'writeSync', 'closeSync'])
  fs[name] = () => { throw new Error(name) }
syncBuiltinESMExports()
Date.now = () => 0
performance.now = () => 0
process.exit = () => {}
test('doubles', () => {
  globalThis.Set = globalThis.Map = class {}
  assert.equal(twice(4), 8)
})\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  expect(decisions(trial, events)).toEqual(['n / 2 -> n * 2: noticed', 'n * 2 -> n / 2: noticed'])
  expect(errorsOf(events)).toEqual([])
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
})

test('lines that no driver writes are left out, and a warning says so', async () => {
  await using trial = await openTrial({
    ...halving,
    'test/forges.test.js': `import { appendFileSync, readFileSync } from 'node:fs'
const folder = /ASSAY_MUTANTS=([^\\0]+)/.exec(readFileSync('/proc/self/environ', 'utf8'))[1]
for (const line of ['x', 'null', '{"kind":"reach","file":1}', '{"kind":"unclean"}', '{"kind":"again","file":"a","test":"b","probes":7}'])
  appendFileSync(folder + '/events.jsonl', line + '\\n')
appendFileSync(folder + '/processes.jsonl', 'x\\n')\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  expect(decisions(trial, events)).toEqual(['n / 2 -> n * 2: noticed', 'n * 2 -> n / 2: not reached'])
  expect(errorsOf(events)).toEqual([expect.stringMatching(/^5 lines .* damaged/)])
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
})

test('a process that dies notices no change if the test file passes with it in a fresh process', async () => {
  await using trial = await openTrial({
    ...halving,
    'test/aborts.test.js': `${ofTwice}
let runs = 0
test('aborts', () => { runs += 1; twice(4); if (runs > 1) process.abort() })\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  expect(decisions(trial, events)).toEqual(['n / 2 -> n * 2: noticed', 'n * 2 -> n / 2: survived'])
})

test('a process that dies notices no change if it also dies without one', async () => {
  await using trial = await openTrial({
    ...halving,
    'test/aborts.test.js': `${ofTwice}
test('ends', () => { twice(4) })
test('aborts', async () => { twice(4); await new Promise((done) => setTimeout(done, 50)); process.abort() })
setTimeout(() => process.abort(), 100)\n`,
  })
  const events = await trial.drive('node-test.mjs', command)
  const [half, twice] = decisions(trial, events)
  expect(half).toBe('n / 2 -> n * 2: noticed')
  expect(twice).not.toContain('noticed')
  expect(errorsOf(events)).toEqual([expect.stringMatching(/^Not all tests of test\/aborts\.test\.js ran/)])
})

test('a test file that never ends is ended and named, and the others try what they reach', async () => {
  await using trial = await openTrial({
    ...halving,
    'test/endless.test.js': `${ofTwice}test('doubles', () => { twice(4) })\nsetInterval(() => {}, 100_000)\n`,
  })
  const events = await trial.drive('node-test.mjs', command, { stopAt: Date.now() + 24_000 })
  const [half] = decisions(trial, events)
  expect(half).toBe('n / 2 -> n * 2: noticed')
  expect(errorsOf(events)).toEqual([
    expect.stringMatching(/^Not all tests of test\/endless\.test\.js ran, .*: it did not end within \d seconds\.$/),
  ])
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
})
