import { expect, test } from 'vitest'
import { decisions, openTrial, told } from './testing.ts'

const shop = {
  'package.json': '{ "type": "module" }',
  'vitest.config.js': 'export default { test: { include: ["test/*.test.js"] } }',
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
  'test/price.test.js': `
import { beforeAll, describe, expect, test } from 'vitest'
import { count, rateOf, setUp, slow, total } from '../src/price.js'
let made
beforeAll(() => { made = setUp() })
describe('total', () => {
  test('adds the tax', () => expect(total(100, 'low')).toBe(107))
  test('adds the tax', () => expect(total(1000, 'high')).toBe(1050))
  test.concurrent('refuses debts', () => expect(() => total(-1, 'low')).toThrow(RangeError))
})
test('counts', () => expect(count(3)).toBe(3))
test('is slow once', () => expect(slow(4)).toBe(12))
test('has a size', () => expect(made.size).toBe(8))
test.fails('is known to fail', () => expect(rateOf('none')).toBe(1))
test.skip('is skipped', () => expect(total(7)).toBe(8))
test('fails anyway', () => expect(rateOf('high')).toBe(20))
`,
}

const alone = ['vitest', 'run', '-t', '^(?!.*fails anyway)'] as const

test('says of each mutant what its own source would say in a fresh process', async () => {
  await using trial = await openTrial(shop)
  const events = await trial.drive('vitest.mjs', ['run'])
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
    ]
  `)
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
  expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 8, failed: 1 })
  // The results that earlier mutants could have spoiled.
  expect(events.some(({ kind }) => kind === 'unclean')).toBe(true)
  for (const { id, mutant } of trial.mutants.filter(({ mutant }) => mutant.line === 15)) {
    const outcome = (await trial.isNoticed(mutant, 'npx', alone)) ? 'noticed' : 'survived'
    expect(decided[id - 1]).toBe(`${told(mutant)}: ${outcome}`)
  }
})

test('says which test files could not run all of their tests', async () => {
  await using trial = await openTrial({
    ...shop,
    'test/hook.test.js': `import { beforeAll, describe, test } from 'vitest'
describe('none', () => {
  beforeAll(() => { throw new Error('no port') })
  test('never begins', () => {})
})\n`,
    'test/missing.test.js': "import './none.js'\n",
  })
  const events = await trial.drive('vitest.mjs', ['run'])
  const before = events.slice(
    0,
    events.findIndex(({ kind }) => kind === 'ready'),
  )
  const errors = before.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
  expect(errors.toSorted()).toEqual([
    expect.stringMatching(/^Not all tests of test\/hook\.test\.js ran, .*: no port$/),
    expect.stringMatching(/^Not all tests of test\/missing\.test\.js ran, .*: .*none\.js/),
  ])
  // A later measurement must not take these files for known ones.
  const loaded = events.flatMap(({ kind, file }) => (kind === 'load' ? file?.split('/').at(-1) : []))
  expect(loaded).toEqual(['price.test.js'])
})

test('stops when its time is over, and says so', async () => {
  await using trial = await openTrial(shop)
  const events = await trial.drive('vitest.mjs', ['run'], { stopAt: Date.now() })
  // A worker that has just begun can still write after that.
  expect(events.find(({ kind }) => kind === 'end')).toMatchObject({ isComplete: false })
  expect(events.filter(({ kind }) => kind === 'tried')).toEqual([])
})

test('goes on after a hanging mutant whose process was ended, and after a promise of the project that nothing handles', async () => {
  await using trial = await openTrial({
    'package.json': shop['package.json'],
    'vitest.config.js': `setTimeout(() => void Promise.reject(new Error('a plugin failed late')), 1_500)
export default { test: { include: ["test/*.test.js"] } }`,
    'src/pause.js': `const cell = new Int32Array(new SharedArrayBuffer(4))
export function pause(n) {
  Atomics.wait(cell, 0, 0, n / 1000)
  return n + 1
}\n`,
    'test/pause.test.js': `import { expect, test } from 'vitest'
import { pause } from '../src/pause.js'
test('pauses', () => expect(pause(10_000)).toBe(10_001))\n`,
    'test/other.test.js': `import { test } from 'vitest'
test('is slow', () => { for (const end = Date.now() + 600; Date.now() < end;); })\n`,
  })
  const events = await trial.drive('vitest.mjs', ['run'])
  expect(decisions(trial, events)).toEqual([
    'Atomics.wait(cell, 0, 0, n / 1000) -> ;: survived',
    'n / 1000 -> n * 1000: timed_out',
    'n + 1 -> n - 1: noticed',
  ])
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
  const errors = events.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
  expect(errors).toEqual([expect.stringContaining('a plugin failed late')])
})

test('a test file that never ends is ended and named, and the others try what they reach', async () => {
  await using trial = await openTrial({
    'package.json': shop['package.json'],
    'vitest.config.js': shop['vitest.config.js'],
    'src/half.js': 'export const half = (n) => n / 2\n',
    'test/half.test.js': `import { expect, test } from 'vitest'
import { half } from '../src/half.js'
test('halves', () => expect(half(4)).toBe(2))\n`,
    'test/endless.test.js': "import { test } from 'vitest'\ntest('ends never', () => { while (true); })\n",
  })
  const events = await trial.drive('vitest.mjs', ['run'], { stopAt: Date.now() + 30_000 })
  expect(decisions(trial, events)).toEqual(['n / 2 -> n * 2: noticed'])
  const errors = events.flatMap(({ kind, message = '' }) => (kind === 'error' ? message : []))
  expect(errors).toContainEqual(
    expect.stringMatching(/^Not all tests of test\/endless\.test\.js ran, .*: it did not end within \d+ seconds\.$/),
  )
  expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
})
