import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decisions, openTrial, told } from './testing.ts'

const jest = createRequire(import.meta.url).resolve('jest/package.json')
const modules = dirname(dirname(jest))
/** Jest refuses snapshots that begin with the address of another version. */
const link = isBefore30(jest) ? 'https://goo.gl/fbAQLP' : 'https://jestjs.io/docs/snapshot-testing'

const shop = {
  'package.json': '{ "jest": { "testMatch": ["**/test/*.test.js"], "transform": {} } }',
  'src/price.js': `
const rates = { low: 5 + 2, high: 19 }
const rateOf = (kind) => rates[kind] ?? 0
function total(net, kind) {
  if (net < 0) throw new RangeError('negative')
  const tax = (net * rateOf(kind)) / 100
  return tax > 50 ? net + 50 : net + tax
}
const known = new Map()
function slow(n) {
  const kept = known.get(n)
  if (kept !== undefined) return kept
  const value = n * 3
  known.set(n, value)
  return value
}
function count(n) {
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
const setUp = () => ({ size: 2 * 4 })
const unused = (a) => a + 1
const later = (value, done) => setImmediate(() => done(null, value + 1))
const half = (n) => n / 2
Object.assign(exports, { rateOf, total, slow, count, setUp, unused, later, half })
`,
  'test/price.test.js': `
const { count, rateOf, setUp, slow, total } = require('../src/price.js')
let made
beforeAll(() => { made = setUp() })
describe('total', () => {
  test('adds the tax', () => expect(total(100, 'low')).toBe(107))
  test('adds the tax', () => expect(total(1000, 'high')).toBe(1050))
  test.concurrent('refuses debts', async () => expect(() => total(-1, 'low')).toThrow(RangeError))
})
test('counts', () => expect(count(3)).toBe(3))
test('is slow once', () => expect(slow(4)).toBe(12))
test('has a size', () => expect(made.size).toBe(8))
test.failing('is known to fail', () => expect(rateOf('none')).toBe(1))
test.skip('is skipped', () => expect(total(7)).toBe(8))
test.todo('is to be done')
test('fails anyway', () => expect(rateOf('high')).toBe(20))
`,
  'test/hooks.test.js': `
const { half, later } = require('../src/price.js')
let open = 0
jest.retryTimes(3)
beforeEach(() => { open += 1 })
afterEach(() => { open -= 1; expect(open).toBe(0) })
test('calls back', (done) => { later(1, (error, value) => { expect(value).toBe(2); done(error) }) })
describe('inner', () => {
  beforeEach(() => expect(half(4)).toBe(2))
  test('matches what is written down', () => {
    expect(half(8)).toMatchSnapshot()
    expect(half(10)).toMatchSnapshot()
  })
})
`,
  'test/__snapshots__/hooks.test.js.snap': `// Jest Snapshot v1, ${link}

exports[\`inner matches what is written down 1\`] = \`4\`;

exports[\`inner matches what is written down 2\`] = \`5\`;
`,
}

const command = ['npx', 'jest']
const alone = ['jest', '--ci', '--testNamePattern', '^(?!.*fails anyway)']

describe('Jest', () => {
  test('says of each mutant what its own source would say in a fresh process', async () => {
    await using trial = await openTrial(shop, { modules })
    const events = await trial.drive('jest.mjs', command)
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
        "setImmediate(() => done(null, value + 1)) -> null: timed_out",
        "done(null, value + 1) -> null: timed_out",
        "value + 1 -> value - 1: timed_out",
        "n / 2 -> n * 2: noticed",
        "Object.assign(exports, { rateOf, total, slow, count, setUp, unused, later, half }) -> ;: noticed",
      ]
    `)
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
    expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 10, failed: 1 })
    // The results that earlier mutants could have spoiled.
    expect(events.some(({ kind }) => kind === 'unclean')).toBe(true)
    for (const { id, mutant } of trial.mutants.filter(({ mutant }) => mutant.line === 15)) {
      const outcome = (await trial.isNoticed(mutant, 'npx', alone)) ? 'noticed' : 'survived'
      expect(decided[id - 1]).toBe(`${told(mutant)}: ${outcome}`)
    }
  })

  test('says which test files could not run all of their tests', async () => {
    await using trial = await openTrial(
      {
        ...shop,
        'test/killed.test.js': "process.kill(process.pid, 'SIGKILL')\n",
        'test/missing.test.js': "require('./none.js')\n",
      },
      { modules },
    )
    const events = await trial.drive('jest.mjs', command)
    const before = events.slice(
      0,
      events.findIndex(({ kind }) => kind === 'ready'),
    )
    const errors = before.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
    expect(errors.toSorted()).toEqual([
      expect.stringMatching(/^Not all tests of test\/killed\.test\.js ran, .*: their process ended with SIGKILL\.$/),
      expect.stringMatching(/^Not all tests of test\/missing\.test\.js ran, .*: Cannot find module '\.\/none\.js'/),
    ])
    // A later measurement must not take these files for known ones.
    const loaded = events.flatMap(({ kind, file }) => (kind === 'load' ? file?.split('/').at(-1) : []))
    expect(loaded.toSorted()).toEqual(['hooks.test.js', 'price.test.js'])
  })

  test('only a process that dies with a mutant and not without it notices it; an endless file is ended and named', async () => {
    const kill = "process.kill(process.pid, 'SIGKILL')"
    await using trial = await openTrial(
      {
        'package.json': shop['package.json'],
        'src/half.js': 'exports.half = (n) => n / 2\nexports.twice = (n) => n * 2\n',
        'test/half.test.js': `const { half } = require('../src/half.js')
test('dies', () => { if (half(4) !== 2) ${kill} })\n`,
        'test/twice.test.js': `const { twice } = require('../src/half.js')
let runs = 0
test('dies', () => { runs += 1; twice(4); if (runs > 1) ${kill} })\n`,
        'test/endless.test.js': "test('ends never', () => { while (true); })\n",
      },
      { modules },
    )
    const events = await trial.drive('jest.mjs', command, { stopAt: Date.now() + 30_000 })
    expect(decisions(trial, events)).toEqual(
      expect.arrayContaining(['n / 2 -> n * 2: noticed', 'n * 2 -> n / 2: survived']),
    )
    const errors = events.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
    expect(errors).toEqual([
      expect.stringMatching(/^Not all tests of test\/endless\.test\.js ran, .*: it did not end within \d+ seconds\.$/),
    ])
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
  })

  test('stops when its time is over, and says so', async () => {
    await using trial = await openTrial(shop, { modules })
    const events = await trial.drive('jest.mjs', command, { stopAt: Date.now() })
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: false })
    expect(events.filter(({ kind }) => kind === 'tried')).toEqual([])
  })
})

function isBefore30(file: string): boolean {
  return /"version": "[12]?\d\./.test(readFileSync(file, 'utf8'))
}
