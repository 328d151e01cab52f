import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSuggestionFor } from '../suggestions/testing.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

let scene: VerificationScene
let projectId: string
beforeAll(async () => {
  scene = await createVerificationScene()
  ;({ id: projectId } = await scene.project(files))
})
afterAll(() => scene[Symbol.asyncDispose]())

const files = {
  'package.json': JSON.stringify({ name: 'prices', type: 'module', scripts: { test: 'node --test' } }),
  'src/price.js': `import { isLarge } from './size.js'

export function price(count, each) {
  const full = count * each
  return isLarge(count) ? full - 10 : full
}

export const describe = (count) => (isLarge(count) ? 'large' : 'small')
`,
  'src/size.js': 'export const isLarge = (count) => count >= 100\n',
  'test/other.test.js': "import { test } from 'node:test'\ntest('other', () => {})\n",
}
const priceTest = (name: string, line = '') => ({
  filePath: `test/${name}.test.js`,
  code: `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe, price } from '../src/price.js'

test('large orders are cheaper', () => {
  ${line}
  assert.equal(price(99, 2), 198)
  assert.equal(price(100, 2), 190)
  assert.equal(describe(99), 'small')
  assert.equal(describe(100), 'large')
})
`,
})

test('a provisional verdict comes before the repeats, and says what is open', async () => {
  const { client } = scene
  const slow = priceTest('slow', 'assert.ok(Date.now() > 0)')
  const { id: verificationId } = await client.tests.verify.mutate({ projectId, ...slow, repeats: 12, mutants: 6 })
  const read = () => client.tests.getVerification.query({ verificationId })
  const provisional = await expect
    .poll(read, { timeout: 120_000, interval: 100 })
    .toMatchObject({ isProvisional: true, evidence: { notRun: ['repeats'] } })
    .then(read)
  expect(provisional).toMatchObject({
    status: 'running',
    verdict: 'accepted',
    evidence: { reason: 'kills_mutants', notRun: ['repeats'], runs: [{ kind: 'alone' }, { kind: 'suite' }] },
  })
  const final = await scene.waitForVerification(verificationId)
  expect(final).toMatchObject({ status: 'completed', verdict: 'accepted', isProvisional: false })
  expect(final.evidence).not.toHaveProperty('notRun')
  expect(final.evidence?.mutation).toEqual(provisional.evidence?.mutation)
  expect(final.evidence?.runs).toHaveLength(24)
  expect(final.evidence?.dependsOn).toEqual([
    { kind: 'time', what: 'Date', path: 'test/slow.test.js', line: expect.any(Number) },
  ])
}, 180_000)

test('a test that depends on nothing but the code needs two runs of each kind, and mutants of all that it reaches', async () => {
  const { evidence, ...ended } = await scene.verify(projectId, priceTest('pure'), { repeats: 12, mutants: 20 })
  expect(ended).toMatchObject({ verdict: 'accepted' })
  expect(evidence?.dependsOn).toEqual([])
  expect(evidence?.runs.map(({ kind }) => kind)).toEqual(['alone', 'alone', 'suite', 'suite'])
  expect(evidence?.warnings).toEqual([])
  const none = { found: 0, tried: 0, killed: 0, crashed: 0, timedOut: 0, invalid: 0, survived: 0 }
  const { found, tried, killed, crashed, timedOut, invalid, survived } = evidence?.mutation ?? none
  expect(killed + crashed + timedOut + invalid + survived).toBe(tried)
  expect(found).toBeGreaterThan(5)
  const { evidence: narrow } = await scene.verify(projectId, priceTest('pure'), {
    repeats: 2,
    target: { path: 'src/size.js' },
  })
  expect(narrow?.mutation?.found).toBeLessThan(found)
}, 180_000)

test('a test for a suggestion is judged by the code of the suggestion, and tried against all code that it reaches', async () => {
  const target = { symbol: 'describe', startLine: 8, endLine: 8 }
  const { id: suggestionId } = await createSuggestionFor(scene.app, { projectId, filePath: 'src/price.js', target })
  const good = await scene.verify(projectId, priceTest('suggested'), { suggestionId, repeats: 2 })
  expect(good, good.evidence?.summary).toMatchObject({ verdict: 'accepted', evidence: { target } })
  const { mutation } = good.evidence ?? {}
  const { evidence: narrow } = await scene.verify(projectId, priceTest('suggested'), {
    target: { path: 'src/price.js', ...target },
    repeats: 2,
  })
  expect(mutation?.found).toBeGreaterThan(narrow?.mutation?.found ?? Infinity)
  expect(mutation?.tried).toBeGreaterThan(narrow?.mutation?.tried ?? Infinity)

  const { filePath, code } = priceTest('beside')
  const silent = { filePath, code: code.replaceAll(/assert\.equal\(describe\((\d+)\), '\w+'\)/g, 'describe($1)') }
  const other = await scene.verify(projectId, silent, { suggestionId, repeats: 2 })
  expect(other, other.evidence?.summary).toMatchObject({
    verdict: 'no_gain',
    evidence: { reason: 'no_assertion_noticed' },
  })
  expect(other.evidence?.mutation?.killed).toBeGreaterThan(0)
}, 180_000)

test('what could not be tried within the budget follows after the repeats', async () => {
  const wanted = { projectId, ...priceTest('late', 'assert.ok(Date.now() > 0)'), mutants: 20 }
  const { id } = await scene.client.tests.verify.mutate({ ...wanted, budgetSeconds: 10 })
  const final = await scene.waitForVerification(id)
  expect(final.evidence?.mutation?.tried).toBe(final.evidence?.mutation?.found)
  for (const budgetSeconds of [9, 3_601, 10.5]) {
    await expect(scene.client.tests.verify.mutate({ ...wanted, budgetSeconds })).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST' },
    })
  }
}, 180_000)
