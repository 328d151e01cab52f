import { expect, test } from 'vitest'
import { partsOf } from '../../../engines/test-plan/testing/tree.ts'
import { suiteStages, type Trying } from './stages.ts'

const project = {
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'src/cart.js': '',
  'test/cart.test.js': '',
  'test/mail.test.js': '',
}

/** The head of a change whose suite took 30 seconds, each test the same. */
async function tried(noticing: Trying['noticing']): Promise<Trying> {
  const parts = await partsOf(project)
  const cases = ['cart', 'mail'].map((name) => ({ file: `test/${name}.test.js`, durationMs: 15_000 }))
  const outcome = { cases, execution: { usage: { wallMs: 30_000 } } }
  const runs = { first: parts.map((part) => ({ part, outcome })) }
  const tests = new Map(parts.map((part) => [part, [{ path: 'test/cart.test.js', code: '' }]]))
  return { side: { parts }, runs, tests, failures: new Set(), noticing, atOnce: 1 } as unknown as Trying
}

const commands = async (noticing: Trying['noticing'], isImported = true) =>
  suiteStages(await tried(noticing), 'src/cart.js', isImported).map(({ step }) => step.argv.slice(-1))

test('other code runs against the tests that can notice the change, even where all tests are slow', async () => {
  expect(await commands(['test/cart.test.js'])).toEqual([['test/cart.test.js']])
})

test('all tests run only if they are fast', async () => {
  expect(await commands(null)).toEqual([])
  expect(await commands(['test/cart.test.js', 'test/mail.test.js'])).toEqual([])
  expect(await commands(['test/cart.test.js'], false)).toEqual([])
})

test('nothing runs where no test can notice the change', async () => {
  expect(await commands([])).toEqual([])
  expect(await commands(['packages/other/test/far.test.py'])).toEqual([])
})
