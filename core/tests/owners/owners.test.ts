import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunScene, type RunScene } from '../../test-runs/testing/scene.ts'

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

const header = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const files = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  '.github/CODEOWNERS': '* @all\n/test/cart* @shop/cart\n',
  'test/cart.test.js': `${header}test('adds', async () => { await new Promise((end) => setTimeout(end, 30)); assert.fail('no') })\n`,
  'test/user.test.js': `${header}test('signs in', () => {})\n`,
}

test('tests and failures have the owners of CODEOWNERS, and durations say how to divide them', async () => {
  const { client } = scene
  const { id: projectId } = await scene.project(files)
  const run = await scene.run(projectId)
  const owned = async () =>
    (await client.tests.list.query({ projectId, owner: '@shop/cart' })).tests.map(({ name }) => name)
  await expect.poll(owned, { timeout: 20_000 }).toEqual(['adds'])
  expect((await client.tests.list.query({ projectId, owner: '@all' })).tests).toMatchObject([{ name: 'signs in' }])
  const digest = await client.testRuns.failures.query({ runId: run.id })
  expect(digest.groups[0]?.examples).toMatchObject([{ name: 'adds', owners: ['@shop/cart'] }])

  const speed = await client.tests.speed.query({ projectId })
  expect(speed).toMatchObject({
    run: { runId: run.id, phases: [{ kind: 'test' }], files: [{ file: 'test/cart.test.js', tests: 1 }, {}] },
    tests: [{ name: 'adds' }, { name: 'signs in' }],
    files: [{ file: 'test/cart.test.js' }, { file: 'test/user.test.js' }],
    steps: [],
  })
  expect(speed.run?.durationMs).toBeGreaterThan(speed.run?.testMs ?? Infinity)
  const plan = await client.testRuns.shards.query({ projectId, count: 2 })
  expect(plan).toMatchObject({
    shards: [
      { index: 1, files: ['test/cart.test.js'] },
      { index: 2, files: ['test/user.test.js'] },
    ],
    unmeasured: [],
  })
  expect(plan.longestMs).toBeGreaterThan(25)
  const given = { projectId, count: 2, files: ['test/new.test.js', 'test/user.test.js'] }
  expect(await client.testRuns.shards.query(given)).toMatchObject({ unmeasured: ['test/new.test.js'] })
  await expect(client.tests.speed.query({ projectId, runId: 'none' })).rejects.toMatchObject({
    data: { code: 'NOT_FOUND' },
  })
})

test('a large CODEOWNERS counts, and one that is too large or has too many rules is no silent problem', async () => {
  const { client } = scene
  const ownersAfterRun = async (codeowners: string) => {
    const { id: projectId } = await scene.project({ ...files, '.github/CODEOWNERS': codeowners })
    await scene.run(projectId)
    const list = () => client.tests.list.query({ projectId, search: 'adds' })
    await expect.poll(async () => (await list()).codeowners?.path, { timeout: 20_000 }).toBe('.github/CODEOWNERS')
    const { tests, codeowners: read } = await list()
    return { owners: tests[0]?.owners, problems: read?.problems }
  }
  const rule = `/packages/${'a'.repeat(100)}/ @shop/others\n`
  const cart = '/test/cart* @shop/cart\n'
  const large = rule.repeat((2 * 2 ** 20) / rule.length)
  expect(await ownersAfterRun(large + cart)).toEqual({ owners: ['@shop/cart'], problems: [] })
  expect(await ownersAfterRun(large + large + cart)).toEqual({
    owners: [],
    problems: [{ line: null, message: expect.stringContaining('larger than 3 MB') }],
  })
  expect(await ownersAfterRun(`${cart}${'/packages/ @shop/others\n'.repeat(20_000)}!bad\n`)).toEqual({
    owners: [],
    problems: [
      { line: null, message: 'The file has 20001 rules. Only the last 20000 count, from line 2 on.' },
      { line: 20_002, message: expect.stringContaining('negated') },
    ],
  })
})
