import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { phasesOf, publishedOf, recordChanges } from './testing/published.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

vi.setConfig({ testTimeout: 120_000 })

let scene: VerificationScene
beforeAll(async () => {
  scene = await createVerificationScene()
  await recordChanges(scene)
})
afterAll(() => scene[Symbol.asyncDispose]())

const head = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const files = {
  'package.json': JSON.stringify({ name: 'prices', type: 'module', scripts: { test: 'node --test' } }),
  'src/price.js': `export function price(count, each) {
  const full = count * each
  if (count < 0 || each < 0) throw new RangeError('negative')
  if (full > 1_000) return full - 100
  return count >= 100 ? full - 10 : full
}
`,
  'src/size.js': "export const size = (count) => (count >= 100 ? 'large' : 'small')\n",
  'test/price.test.js': `${head}import { price } from '../src/price.js'
test('small and large', () => assert.deepEqual([price(99, 2), price(100, 2)], [198, 190]))
`,
}
const testOf = (source: 'price' | 'size', ...lines: string[]) => ({
  filePath: `test/new-${source}.test.js`,
  code: `${head}import { ${source} } from '../src/${source}.js'\ntest('it', () => {\n${lines.join('\n')}\n})\n`,
})
const good = testOf('size', "assert.deepEqual([size(99), size(100)], ['small', 'large'])")
const how = { repeats: 2, mutants: 4 }

/** Verifies a test, and returns what was published before the final verdict. */
async function publishedBy(projectId: string, written: { filePath: string; code: string }) {
  const final = await scene.verify(projectId, written, how)
  const provisional = await publishedOf(scene, final.id)
  const open = provisional.map(({ verdict, evidence }) => [verdict, evidence?.reason, ...(evidence?.notRun ?? [])])
  return { final, open, provisional, phases: await phasesOf(scene, final.id) }
}

test('a test that notices nothing has its verdict before the other tests run', async () => {
  const { id } = await scene.project(files)
  const { final, open, provisional, phases } = await publishedBy(id, testOf('size', 'assert.ok(size(1) !== 7)'))
  expect(final, final.evidence?.summary).toMatchObject({
    verdict: 'no_gain',
    evidence: { reason: 'no_assertion_noticed' },
  })
  expect(open[0]).toEqual(['no_gain', 'no_assertion_noticed', 'comparison', 'suite', 'repeats'])
  expect(provisional[0]?.evidence).toMatchObject({ baseline: null, coverage: null, runs: [{ kind: 'alone' }] })
  expect(open.at(-1)).toEqual(['no_gain', 'no_assertion_noticed', 'repeats'])
  expect(phases.indexOf('mutating')).toBeLessThan(phases.indexOf('baseline'))
})

test('a test that fails has its verdict before the other tests run', async () => {
  const { id } = await scene.project(files)
  const { final, open } = await publishedBy(id, testOf('size', "assert.equal(size(1), 'large')"))
  expect(final).toMatchObject({ verdict: 'suspected_bug', evidence: { baseline: { totalTests: 1 } } })
  expect(open).toEqual([['suspected_bug', 'assertion_fails', 'comparison']])
})

test('a test is accepted for the time being once it is known that it covers more, and before all tests run with it', async () => {
  const { id } = await scene.project(files)
  const { final, open, provisional, phases } = await publishedBy(id, good)
  expect(final).toMatchObject({ verdict: 'accepted' })
  expect(open).toEqual([
    ['accepted', 'kills_mutants', 'suite', 'repeats'],
    ['accepted', 'kills_mutants', 'repeats'],
  ])
  expect(provisional[0]?.evidence).toMatchObject({ baseline: { cached: false }, coverage: { newTargetLines: '1' } })
  expect(phases.filter((phase) => phase === 'baseline')).toHaveLength(1)
  const { open: later, phases: second } = await publishedBy(id, { ...good, code: `${good.code}\n` })
  expect(later).toEqual(open)
  expect(second).not.toContain('baseline')
})

test('a test that other tests make superfluous is never accepted for the time being, and compared once', async () => {
  const { id } = await scene.project(files)
  const same = testOf(
    'price',
    'assert.ok(Date.now() > 0)',
    'assert.equal(price(99, 2), 198)',
    'assert.equal(price(100, 2), 190)',
  )
  const { final, open, phases } = await publishedBy(id, same)
  expect(final, final.evidence?.summary).toMatchObject({ verdict: 'no_gain', evidence: { reason: 'nothing_new' } })
  expect(open).toEqual([['no_gain', 'nothing_new', 'repeats']])
  expect(phases.filter((phase) => phase === 'comparing')).toHaveLength(1)
})

/** The least that a caller can give is ten seconds. */
const withoutTime = `
  CREATE OR REPLACE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.budget_seconds = 0; RETURN NEW; END $$;
  CREATE OR REPLACE TRIGGER take_time BEFORE INSERT ON verifications FOR EACH ROW EXECUTE FUNCTION take_time()`

test('a test that notices nothing has a verdict when its time is over, and another one after all mutants', async () => {
  const { id: projectId } = await scene.project(files)
  const weak = testOf('price', 'assert.ok(Date.now() > 0)', 'assert.ok(price(99, 2) !== 7)')
  await scene.app.dataSource.query(withoutTime)
  const { id } = await scene.client.tests.verify.mutate({ projectId, ...weak, repeats: 2, mutants: 20 })
  const final = await scene.waitForVerification(id)
  expect(final).toMatchObject({ verdict: 'no_gain' })
  const published = await publishedOf(scene, id)
  const { tried = 0, found = 0 } = published[0]?.evidence?.mutation ?? {}
  expect(tried).toBeGreaterThanOrEqual(5)
  expect(tried).toBeLessThan(found)
  expect(published.map(({ evidence }) => evidence?.notRun)).toEqual([
    ['comparison', 'suite', 'repeats', 'mutants'],
    ['suite', 'repeats', 'mutants'],
    ['repeats', 'mutants'],
    ['repeats'],
  ])
  expect(final.evidence?.mutation?.tried).toBe(found)
})

test('a test is not called superfluous while the comparison with the other tests is open', async () => {
  const { id: projectId } = await scene.project(files)
  const same = testOf('price', 'assert.equal(price(99, 2), 198)', 'assert.equal(price(100, 2), 190)')
  await scene.app.dataSource.query(withoutTime)
  const { id } = await scene.client.tests.verify.mutate({ projectId, ...same, repeats: 2, mutants: 5 })
  const final = await scene.waitForVerification(id)
  expect(final, final.evidence?.summary).toMatchObject({ verdict: 'no_gain', evidence: { reason: 'nothing_new' } })
  expect(final.evidence?.mutation?.killed).toBeGreaterThan(1)
  const published = await publishedOf(scene, id)
  expect(published.map(({ evidence }) => [evidence?.reason, ...(evidence?.notRun ?? [])])).toEqual([
    ['nothing_new', 'repeats'],
  ])
})
