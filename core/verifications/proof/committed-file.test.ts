import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../testing/scene.ts'

vi.setConfig({ testTimeout: 120_000 })

let scene: VerificationScene
let projectId: string
beforeAll(async () => {
  scene = await createVerificationScene()
  projectId = (await scene.project({ ...sources, [filePath]: started })).id
})
afterAll(() => scene[Symbol.asyncDispose]())

const filePath = 'basket.test.js'
const basket = `const LIMIT = 100

export class Basket {
  lines = []
  label = 'empty'

  add(price, quantity) {
    if (!(price > 0)) {
      throw new RangeError('The price must be above 0.')
    }
    if (quantity >= LIMIT) {
      throw new TypeError('The quantity must be below 100.')
    }
    this.lines.push(price * quantity)
    if (quantity > 10) {
      this.label = 'large'
    }
    return this.lines.length
  }
}
`
const sources = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'basket.js': basket,
}
const written = (...lines: string[]) => `import { test } from 'node:test'
import assert from 'node:assert'
import { Basket } from './basket.js'
${lines.join('\n')}
`
const first = [
  "test('adds', () => {",
  '  const basket = new Basket()',
  '  assert.equal(basket.add(2, 3), 1)',
  '  assert.deepEqual(basket.lines, [6])',
  "  assert.equal(basket.label, 'empty')",
  '})',
]
const started = written(...first)
const verify = async (...added: string[]) => {
  const code = written(...first, ...added)
  const { verdict, evidence, error } = await scene.verify(projectId, { filePath, code }, { repeats: 2, mutants: 20 })
  expect(error).toBeNull()
  expect(evidence?.extendsCommitted).toBe(true)
  return { verdict, reason: evidence?.reason, summary: evidence?.summary, evidence }
}

const throwing = [
  'const [add] = [(...given) => () => new Basket().add(...given)]',
  "test('rejects', () => {",
  "  assert.throws(add(-1, 1), { name: 'RangeError', message: 'The price must be above 0.' })",
  "  assert.throws(add(1, 200), { name: 'TypeError', message: 'The quantity must be below 100.' })",
  '})',
]

test('a test that asserts new errors is accepted', async () => {
  const { verdict, reason, summary, evidence } = await verify(...throwing)
  expect({ verdict, reason }, summary).toEqual({ verdict: 'accepted', reason: 'kills_mutants' })
  expect(evidence?.coverage?.newTargetLines).toBe('9,12')
  expect(summary).toContain('the lines where only it runs the code or a branch')
})

test('a test that runs into new errors without noticing them is no gain', async () => {
  const { verdict, reason, summary } = await verify(
    "test('rejects', () => {",
    '  for (const given of [[-1, 1], [1, 200]]) {',
    '    try { new Basket().add(...given) } catch {}',
    '  }',
    '  assert.equal(new Basket().lines.length, 0)',
    '})',
  )
  expect({ verdict, reason }, summary).toEqual({ verdict: 'no_gain', reason: 'no_assertion_noticed' })
  expect(summary).not.toContain('the code that only it runs')
  expect(summary).toContain('removal of `throw new')
})

test('a test that asserts the effect of a new line that has no mutant is accepted', async () => {
  const { verdict, reason, summary } = await verify(
    "test('names', () => {",
    '  const basket = new Basket()',
    '  basket.add(2, 30)',
    "  assert.equal(basket.label, 'large')",
    '})',
  )
  expect({ verdict, reason }, summary).toEqual({ verdict: 'accepted', reason: 'reaches_new_code' })
})

test('a test that runs a new line without asserting anything is no gain', async () => {
  const { verdict, reason, summary } = await verify("test('names', () => void new Basket().add(2, 30))")
  expect({ verdict, reason }, summary).toEqual({ verdict: 'no_gain', reason: 'no_assertions' })
})
