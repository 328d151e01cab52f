import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { AccountLinkEntity } from '../code-host/entity.ts'
import { annotationsOf, createScene, token } from './testing/scene.ts'

let host: CodeHost
let app: TestApp
beforeAll(async () => {
  const repositories = [{ owner: 'octocat', name: 'shop', auto_init: true }]
  host = await startCodeHost({ repositories, withApp: true })
  app = await createTestApp({ codeHost: host.config })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})
beforeEach(() => {
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
  host.fault = undefined
  host.requests = []
})

const linesOf = (id: number) => (host.annotations.get(id) ?? []).map(({ start_line: line }) => line)

test('an installed app reports with one check run, which is updated', async () => {
  const scene = await createScene(app, host)
  await scene.report({ state: 'pending', title: 'The tests are running.' })
  await scene.settled()
  expect(await scene.checkRuns()).toMatchObject([{ status: 'in_progress', conclusion: null, name: 'assay' }])
  await scene.report({ state: 'neutral', title: 'Nothing to test.', annotations: annotationsOf(1) })
  await scene.settled()
  const runs = await scene.checkRuns()
  expect(runs).toMatchObject([
    {
      status: 'completed',
      conclusion: 'neutral',
      details_url: 'https://assay.example.com/gate/1',
      external_id: `${scene.projectId}/1`,
      output: { title: 'Nothing to test.', summary: '**All** is well.' },
    },
  ])
  expect(host.annotations.get(runs[0].id)).toEqual([
    {
      path: 'src/price.ts',
      start_line: 1,
      end_line: 1,
      annotation_level: 'warning',
      title: 'Not covered',
      message: 'No test runs line 1.',
    },
  ])
  expect(scene.statuses()).toEqual([])
})

test('sends annotations in batches of 50, each once', async () => {
  const scene = await createScene(app, host)
  await scene.report({ state: 'pending' })
  await scene.report({ state: 'failure', annotations: annotationsOf(120) })
  await scene.settled()
  const [run, ...more] = await scene.checkRuns()
  expect([run.conclusion, more]).toEqual(['failure', []])
  expect(linesOf(run.id)).toEqual(annotationsOf(120).map(({ startLine }) => startLine))
})

test('a lost answer to a batch neither loses nor repeats annotations', async () => {
  const scene = await createScene(app, host)
  host.fault = { kind: 'cut', times: 1, match: /^PATCH .*\/check-runs\// }
  await scene.report({ state: 'failure', annotations: annotationsOf(120) })
  await scene.settled()
  const [run, ...more] = await scene.checkRuns()
  expect(more).toEqual([])
  expect(linesOf(run.id)).toEqual(annotationsOf(120).map(({ startLine }) => startLine))
})

test('a new check run replaces one whose annotations are no longer true, and one that runs again', async () => {
  const scene = await createScene(app, host)
  await scene.report({ state: 'failure', annotations: annotationsOf(2) })
  await scene.settled()
  await scene.report({ state: 'success', annotations: annotationsOf(1, 'other.ts') })
  await scene.settled()
  await scene.report({ state: 'pending' })
  await scene.settled()
  await scene.report({ state: 'success' })
  await scene.settled()
  const runs = await scene.checkRuns()
  expect(runs.map(({ conclusion }) => conclusion)).toEqual(['failure', 'success', 'success'])
  expect(runs.map(({ id }) => linesOf(id).length)).toEqual([2, 1, 0])
  expect(runs.map(({ external_id: id }) => id)).toEqual([1, 2, 3].map((each) => `${scene.projectId}/${each}`))
})

test('finds its check run again after its row was lost', async () => {
  const scene = await createScene(app, host)
  await scene.report({ state: 'pending' })
  await scene.settled()
  await app.dataSource.query('DELETE FROM code_host_posts')
  await scene.report({ state: 'success' })
  await scene.settled()
  expect(await scene.checkRuns()).toMatchObject([{ conclusion: 'success' }])
})

test('does not create a second check run when the answer to the first was lost', async () => {
  const scene = await createScene(app, host)
  host.fault = { kind: 'cut', times: 1, match: /^POST .*\/check-runs$/ }
  await scene.report({ state: 'pending' })
  await scene.report({ state: 'success' })
  await scene.settled()
  expect(await scene.checkRuns()).toMatchObject([{ conclusion: 'success' }])
})

test('two projects of one repository have a check run each', async () => {
  const scene = await createScene(app, host)
  const other = await createScene(app, host)
  await scene.report({ state: 'failure' })
  await other.report({ commitSha: scene.commitSha, state: 'success' })
  await scene.settled()
  await other.settled()
  expect(await scene.checkRuns()).toHaveLength(2)
})

test('on a server of many users, the app acts only for a project whose reader may push', async () => {
  await using shared = await createTestApp({ codeHost: host.config, local: false })
  const scene = await createScene(shared, host)
  await scene.report()
  await scene.settled()
  // The id of the account that the user linked is not the one of the login.
  expect(await scene.checkRuns()).toEqual([])
  expect(scene.statuses()).toMatchObject([{ state: 'success' }])
  const { id } = await host.call('GET', '/users/octocat')
  await shared.dataSource
    .getRepository(AccountLinkEntity)
    .update({ userId: scene.user.id }, { providerAccountId: String(id) })
  await scene.report()
  await scene.settled()
  expect(await scene.checkRuns()).toMatchObject([{ conclusion: 'success' }])
})
