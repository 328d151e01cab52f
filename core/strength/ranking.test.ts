import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from '../test-runs/testing/scene.ts'
import { storeFileStrength } from '../coverage/strength.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene({ verificationConcurrency: 1 })))
afterAll(() => scene[Symbol.asyncDispose]())

const shop = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/shop/price.js': `export function total(net, percent) {
  if (net < 0) throw new RangeError('negative')
  return net + (net * percent) / 100
}
`,
  'src/stock.js': 'export const isLow = (count) => count < 3\n',
  'test/shop.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/shop/price.js'
import { isLow } from '../src/stock.js'
test('adds the tax', () => assert.equal(total(100, 7), 107))
test('refuses debts', () => assert.throws(() => total(-1, 7), RangeError))
test('knows a low stock', () => assert.ok(isLow(1)))
`,
}

async function measure(projectId: string) {
  const { id } = await scene.client.strength.measure.mutate({ projectId })
  for (;;) {
    const found = await scene.client.strength.get.query({ measurementId: id, waitSeconds: 45 })
    if (found.completedAt !== null) return found
  }
}

test('what tests do not notice is in the ranking, until the code changes', async () => {
  const { id: projectId, repository } = await scene.project(shop)
  const analyze = () => scene.client.analysis.analyzeRepository.mutate({ projectId, waitSeconds: 45 })
  const totalOf = async () => {
    const { testCandidates = [], summary } = await analyze()
    return { total: testCandidates.find(({ symbol }) => symbol === 'total'), strength: summary.strength }
  }
  expect(await totalOf()).toMatchObject({ total: { symbol: 'total' }, strength: null })
  const { evidence } = await measure(projectId)
  const { tried = 0, noticed = 0, survived = 0, strength } = evidence ?? {}
  expect(survived).toBe(2)
  expect(evidence?.folders).toMatchObject([
    { path: 'src', tried, noticed, survived },
    { path: 'src/shop', survived: 1 },
  ])
  const { measurements } = await scene.client.strength.list.query({ projectId })
  expect(measurements).toMatchObject([{ strength, tried, noticed, survived }])

  await expect.poll(async () => (await totalOf()).total?.strength, { timeout: 30_000 }).toBeDefined()
  const measured = await totalOf()
  const percent = strength?.percent ?? 0
  expect(measured.strength).toEqual({ measuredFiles: 2, tried, noticed, percent, interval: [percent, percent] })
  expect(measured.total?.strength).toMatchObject({
    survived: 1,
    survivors: [{ line: 2, original: 'net < 0', replacement: 'net <= 0' }],
  })
  expect(measured.total?.reasons).toContainEqual(
    expect.stringMatching(
      /^(?:tests run all of its 2 lines, but )?1 of \d+ small changes went unnoticed at [0-9a-f]{7}/,
    ),
  )

  await repository.write({ 'src/shop/price.js': `// Prices\n${shop['src/shop/price.js']}` })
  await repository.commit()
  const changed = await totalOf()
  expect(changed.total).not.toHaveProperty('strength')
  expect(changed.strength?.measuredFiles).toBe(1)
}, 120_000)

test('a function whose every line runs is a candidate for the changes that go unnoticed', async () => {
  const { id: projectId } = await scene.project(shop)
  const { id: runId } = await scene.client.testRuns.trigger.mutate({ projectId })
  await expect
    .poll(async () => (await scene.client.testRuns.get.query({ runId })).status, { timeout: 60_000 })
    .toBe('COMPLETED')
  const { commitSha } = await measure(projectId)
  const { files } = await scene.client.testRuns.coverage.query({ runId })
  expect(files.find(({ path }) => path === 'src/stock.js')).toMatchObject({
    lines: { covered: 1, total: 1 },
    strength: { tried: 2, noticed: 1, percent: 50, commitSha },
  })
  await expect
    .poll(
      async () => {
        const { testCandidates = [] } = await scene.client.analysis.analyzeRepository.mutate({
          projectId,
          waitSeconds: 45,
        })
        return testCandidates.find(({ symbol }) => symbol === 'total')?.reasons
      },
      { timeout: 60_000 },
    )
    .toContainEqual(
      expect.stringMatching(/^tests run all of its 2 lines, but 1 of \d+ small changes went unnoticed at [0-9a-f]{7}/),
    )
}, 180_000)

test('a measurement says which tests run which lines, for the code view', async () => {
  const { id: projectId } = await scene.project(shop)
  await measure(projectId)
  const { reachedBy } = await scene.client.code.getFile.query({ projectId, path: 'src/shop/price.js' })
  const test = (name: string) => ({ path: 'test/shop.test.js', name })
  const byLine = new Map(reachedBy?.map(({ line, ...of }) => [line, of]))
  expect(byLine.get(2)?.tests).toBe(2)
  expect(byLine.get(2)?.nearest).toEqual(expect.arrayContaining([test('adds the tax'), test('refuses debts')]))
  expect(byLine.get(3)).toEqual({ tests: 1, nearest: [test('adds the tax')] })
}, 180_000)

test('later measurements add to what is known of the same content, and old contents are forgotten', async () => {
  const { id: projectId } = await scene.project(shop)
  const { dataSource } = scene.app
  const store = (contentId: string, lines: [number, number, number][], minute: number) =>
    storeFileStrength(
      { db: dataSource.manager, now: () => new Date(Date.UTC(2030, 0, 1, 0, minute)) },
      {
        projectId,
        snapshotId: null,
        files: [
          {
            path: 'a.js',
            contentId,
            commitSha: 'c'.repeat(40),
            reached: 9,
            lines,
            survivors: [],
            noticed: [],
            reachedBy: [],
          },
        ],
      },
    )
  await store('one', [[1, 5, 2]], 0)
  await store('one', [[2, 3, 1]], 1)
  // Better tests, and less time.
  await store('one', [[1, 5, 0]], 2)
  const known = () =>
    dataSource.query('SELECT content_id, tried, lines FROM file_strength WHERE project_id = $1 ORDER BY measured_at', [
      projectId,
    ])
  const lines = [
    [1, 5, 0],
    [2, 3, 1],
  ]
  expect(await known()).toEqual([{ content_id: 'one', tried: 8, lines }])
  for (const [minute, content] of ['two', 'three', 'four', 'five'].entries()) {
    await store(content, [[1, 1, 0]], 3 + minute)
  }
  expect((await known()).map((row: { content_id: string }) => row.content_id)).toEqual(['two', 'three', 'four', 'five'])
})
