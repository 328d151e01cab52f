import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { openPullRequest, settled, token as hostToken } from '../code-host-posts/testing/scene.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor } from '../testing/factories.ts'
import { createDataDirectory, startWorker, type Worker } from '../testing/worker.ts'
import { gateContext } from './report/post.ts'
import { createGateScene, type GateScene } from './testing.ts'

vi.setConfig({ testTimeout: 300_000 })

type Fault = NonNullable<CodeHost['fault']>

/** When the worker is killed: after an upload, or during a call whose answer does not arrive. */
const moments: [string, Fault | 'red arrived' | 'fix arrived'][] = [
  ['when the red upload has arrived', 'red arrived'],
  ['before a status is posted', { kind: 'stall', times: 1, match: /^POST .*\/statuses\// }],
  ['after a status was posted', { kind: 'swallow', times: 1, match: /^POST .*\/statuses\// }],
  ['before the comment is created', { kind: 'stall', times: 1, match: /^POST .*\/comments$/ }],
  ['after the comment was created', { kind: 'swallow', times: 1, match: /^POST .*\/comments$/ }],
  ['when the fix has arrived', 'fix arrived'],
  ['before the comment is edited', { kind: 'stall', times: 1, match: /^PATCH .*\/comments\// }],
  ['after the comment was edited', { kind: 'swallow', times: 1, match: /^PATCH .*\/comments\// }],
]

const opened = new AsyncDisposableStack()
let repository: GitRepository
let host: CodeHost
let scene: GateScene
let worker: Worker
let start: () => Promise<Worker>
beforeAll(async () => {
  repository = opened.use(await createGitRepository({ 'README.md': 'A shop.\n' }))
  host = opened.use(
    await startCodeHost({
      repositories: [{ owner: 'octocat', name: 'shop', auto_init: true }],
      git: { 'octocat/shop': repository.path },
    }),
  )
  host.tokens = new Map([[hostToken, { login: 'octocat', scopes: ['repo'] }]])
  host.open.add('octocat/shop')
  const { config } = host
  scene = opened.use(await createGateScene({ codeHost: config, outboundAllowCidrs: ['127.0.0.0/8'], role: 'web' }))
  await createLinkFor(scene.app, { accessToken: hostToken }, scene.user)
  const data = opened.use(await createDataDirectory())
  start = () =>
    startWorker(scene.app, {
      DATA_DIR: data.path,
      CODE_HOST_CLIENT_ID: config.client.id,
      CODE_HOST_CLIENT_SECRET: config.client.secret,
      CODE_HOST_URL: config.url,
      CODE_HOST_API_URL: config.apiUrl,
    })
  worker = await start()
  opened.defer(() => worker[Symbol.asyncDispose]())
})
afterAll(() => opened.disposeAsync())

async function killAndStart(): Promise<void> {
  worker.kill()
  await worker[Symbol.asyncDispose]()
  worker = await start()
}

test.each(moments)('a pull request ends the same if the worker is killed %s', async (name, moment) => {
  await scene.newProject()
  scene.repository = repository
  await repository.git('checkout', '-q', '-B', `change ${name}`.replaceAll(' ', '-'), 'main')
  await scene.app.dataSource
    .getRepository(ProjectEntity)
    .update({ id: scene.projectId }, { repository: `${host.url}/octocat/shop.git`, repositoryUserId: scene.user.id })
  await scene.policy({ mode: 'enforced' })
  const { number: pullRequest } = await openPullRequest(host)
  const upload = async (commitSha: string, outcome: 'failed' | 'passed') => {
    host.heads.set(`/repos/octocat/shop/pulls/${pullRequest}`, commitSha)
    await scene.upload({ commitSha, tests: { adds: outcome }, fields: { pullRequest: String(pullRequest) } })
  }
  const decided = async (pullRequestState: 'failure' | 'success') => {
    await expect
      .poll(async () => (await scene.check({ pullRequest, waitSeconds: 20 })).state, { timeout: 120_000 })
      .toBe(pullRequestState)
    await settled(scene.app, scene.projectId, 120_000)
  }
  host.fault = typeof moment === 'string' ? undefined : { ...moment }
  const interrupted =
    typeof moment === 'string'
      ? undefined
      : expect
          .poll(() => host.fault?.times, { timeout: 240_000 })
          .toBe(0)
          .then(killAndStart)

  const red = await scene.push({ 'src/cart.js': scene.lines('start() // +', 'fail() // -') })
  await upload(red, 'failed')
  if (moment === 'red arrived') await killAndStart()
  await decided('failure')
  const fixed = await scene.push({ 'src/cart.js': scene.lines('start() // +') })
  await upload(fixed, 'passed')
  if (moment === 'fix arrived') await killAndStart()
  await decided('success')
  await interrupted
  await settled(scene.app, scene.projectId, 120_000)

  const comments: { body: string }[] = await host.call('GET', `/repos/octocat/shop/issues/${pullRequest}/comments`)
  expect(comments).toHaveLength(1)
  expect(comments[0]?.body).toContain('All rules hold')
  const last = (commitSha: string) =>
    (host.statuses.get(`/repos/octocat/shop/statuses/${commitSha}`) ?? [])
      .filter(({ context }) => context === gateContext)
      .at(-1)?.state
  expect([last(red), last(fixed)]).toEqual(['failure', 'success'])
})
