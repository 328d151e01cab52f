import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProjectEntity } from '../projects/entity.ts'
import { contextFor } from '../testing/context.ts'
import { requestRun } from './request.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

const testing = (path: string) => `import test from 'node:test'\nimport '${path}'\ntest('works', () => {})\n`
const files = {
  'README.md': 'A shop.\n',
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'src/cart.js': 'export const total = 1\n',
  'src/mail.js': 'export const send = 1\n',
  'test/cart.test.js': testing('../src/cart.js'),
  'test/mail.test.js': testing('../src/mail.js'),
}
const impacted = { selection: 'impacted' } as const
const filesOf = async (runId: string) =>
  (await scene.client.testRuns.results.query({ runId })).results.map(({ file }) => file).toSorted()

test('a run of what a change impacts runs those tests only, and says in its log and its record why', async () => {
  const { id, repository } = await scene.project(files)
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await repository.git('checkout', '-q', '-b', 'prices')
  await repository.commit({ 'src/cart.js': 'export const total = 2\n' })
  const run = await scene.run(id, { ...impacted, branch: 'prices' })
  expect(run, await scene.log(run.id)).toMatchObject({
    reportedStatus: 'PASSED',
    totalTests: 1,
    selection: { paths: ['test/cart.test.js'], tests: [] },
    impacted: {
      base: 'main',
      budgetSeconds: null,
      found: { baseSha, mode: 'impacted', whyAll: null, counts: { all: 2, selected: 1 } },
    },
  })
  expect(await filesOf(run.id)).toEqual(['test/cart.test.js'])
  expect(await scene.log(run.id)).toContain('test/cart.test.js uses src/cart.js')
  // It says nothing about the other tests of the branch.
  const { runs } = await scene.client.testRuns.list.query({ projectId: id, whole: true })
  expect(runs).toEqual([])
})

test('if no test can notice the change, none runs and the run passes', async () => {
  const { id, repository } = await scene.project(files)
  await repository.commit({ 'README.md': 'A shop for shoes.\n' })
  const run = await scene.run(id, impacted)
  expect(run).toMatchObject({ status: 'COMPLETED', reportedStatus: 'PASSED', totalTests: 0, error: null })
  expect(await scene.log(run.id)).toContain('No test can notice what changed')
})

test('all tests run where it is not certain which ones can notice the change', async () => {
  const { id, repository } = await scene.project(files)
  await repository.commit({ 'package.json': files['package.json'].replace('shop', 'shop2'), 'data.bin': 'x' })
  const run = await scene.run(id, impacted)
  expect(run).toMatchObject({ totalTests: 2, selection: null, impacted: { found: { mode: 'all' } } })
  expect(await scene.log(run.id)).toContain('All tests run, because')
})

test('a runner that cannot run single files runs all tests', async () => {
  const report = '<testsuite name="a"><testcase classname="a" name="b" time="0.25"/></testsuite>'
  const { id, repository } = await scene.project(
    { ...files, 'tests.sh': `mkdir -p results\necho '${report}' > results/junit.xml\n` },
    { testCommand: 'sh tests.sh', reportGlobs: ['results/*.xml'] },
  )
  await repository.commit({ 'src/cart.js': 'export const total = 2\n' })
  const run = await scene.run(id, impacted)
  expect(run, JSON.stringify(run.error)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
})

test('a base that does not exist ends the run with the nearest names', async () => {
  const { id } = await scene.project(files)
  const run = await scene.run(id, { ...impacted, base: 'mian' })
  expect(run).toMatchObject({ status: 'FAILED', error: { message: expect.stringMatching(/mian.*main/s) } })
})

test('fields that contradict each other are refused', async () => {
  const { id: projectId } = await scene.project(files)
  const trigger = (input: object) => scene.client.testRuns.trigger.mutate({ projectId, ...input })
  await expect(trigger({ base: 'main' })).rejects.toThrow('only with selection')
  await expect(trigger({ ...impacted, paths: ['test'] })).rejects.toThrow('at most one')
  await expect(trigger({ ...impacted, base: '-x' })).rejects.toThrow('base: must be the name')
  await expect(trigger({ selection: 'some' })).rejects.toThrow('selection')
})

test('where selections are enforced, pull requests leave tests out, and the branch of the project does not', async () => {
  const { id } = await scene.project(files)
  const { app } = scene
  const project = await app.dataSource.getRepository(ProjectEntity).findOneByOrFail({ id })
  const request = async (fields: { branch: string; pullRequest: number | null; event: 'push' | 'pull_request' }) => {
    const { runId } = await app.dataSource.transaction((db) =>
      requestRun({ ...contextFor(app), db }, { project, tag: null, commitSha: null, fork: false, ...fields }),
    )
    return (await scene.waitFor(runId)).impacted
  }
  const prices = { branch: 'main', pullRequest: 7, event: 'pull_request' } as const
  expect(await request(prices)).toBeNull()
  await app.dataSource.query(`INSERT INTO selection_policies VALUES ($1, '{"mode": "enforce"}')`, [id])
  expect(await request({ branch: 'main', pullRequest: null, event: 'push' })).toBeNull()
  expect(await request({ ...prices, branch: 'prices' })).toMatchObject({ base: 'main' })
})
