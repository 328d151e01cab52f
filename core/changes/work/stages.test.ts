import { expect, test } from 'vitest'
import { partsOf } from '../../../engines/test-plan/testing/tree.ts'
import { type Around, suiteStages } from './stages.ts'

const project = {
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'src/cart.js': '',
  'test/cart.test.js': '',
  'test/mail.test.js': '',
}
const cart = ['test/cart.test.js']
const both = [...cart, 'test/mail.test.js']

/** The last words of the commands that try other code in `src/cart.js`, by which files they are restricted to. */
async function commands(
  noticing: Around['noticing'],
  { seconds = 30, isImported = true, hasTests = true } = {},
): Promise<string[]> {
  const parts = await partsOf(project)
  const outcome = {
    cases: [1, 9].map((tenths, index) => ({ file: both[index] ?? '', durationMs: tenths * 100 * seconds })),
    execution: { usage: { wallMs: 1_000 * seconds } },
  }
  const tests = new Map(hasTests ? parts.map((part) => [part, [{ path: 'test/cart.test.js', code: '' }]]) : [])
  const trying = { side: { parts }, runs: { first: parts.map((part) => ({ part, outcome })) }, tests, noticing }
  return suiteStages(trying, 'src/cart.js', isImported).map(({ step }) => step.argv.at(-1) ?? '')
}

test('where all tests are slow, other code runs against those that can notice the change', async () => {
  expect(await commands(cart)).toEqual(cart)
  expect(await commands(both)).toEqual([])
  expect(await commands(null)).toEqual([])
  expect(await commands([])).toEqual([])
  expect(await commands(cart, { isImported: false })).toEqual([])
})

test('where all tests are fast, or the change has none, all of them run as well', async () => {
  const [all] = await commands(null, { seconds: 10 })
  expect(all).not.toBe('test/cart.test.js')
  expect(await commands(cart, { seconds: 10 })).toEqual([...cart, all])
  expect(await commands(cart, { hasTests: false })).toEqual([...cart, all])
  expect(await commands(both, { seconds: 10 })).toEqual([all])
  expect(await commands([], { seconds: 10 })).toEqual([all])
})
