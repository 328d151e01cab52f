import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPullRequest, settled, token as hostToken } from '../code-host-posts/testing/scene.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor } from '../testing/factories.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { gateContext } from './report/post.ts'
import { createGateScene, type GateScene } from './testing.ts'

const opened = new AsyncDisposableStack()
let repository: GitRepository
let host: CodeHost
let scene: GateScene
let pullRequest: number
beforeAll(async () => {
  repository = opened.use(await createGitRepository({ 'README.md': 'A shop.\n' }))
  host = opened.use(
    await startCodeHost({
      repositories: [{ owner: 'octocat', name: 'shop', auto_init: true }],
      git: { 'octocat/shop': repository.path },
    }),
  )
  scene = opened.use(await createGateScene({ codeHost: host.config, outboundAllowCidrs: ['127.0.0.0/8'] }))
  host.tokens = new Map([[hostToken, { login: 'octocat', scopes: ['repo'] }]])
  await createLinkFor(scene.app, { accessToken: hostToken }, scene.user)
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  host.tokens = new Map([[hostToken, { login: 'octocat', scopes: ['repo'] }]])
  host.open.add('octocat/shop')
  await scene.newProject()
  scene.repository = repository
  await repository.git('checkout', '-q', '-B', 'feature', 'main')
  await scene.app.dataSource
    .getRepository(ProjectEntity)
    .update({ id: scene.projectId }, { repository: `${host.url}/octocat/shop.git`, repositoryUserId: scene.user.id })
  pullRequest = (await openPullRequest(host)).number
  await scene.policy({ mode: 'enforced' })
})

const comments = async (): Promise<{ id: number; body: string }[]> =>
  host.call('GET', `/repos/octocat/shop/issues/${pullRequest}/comments`)
const statuses = (commitSha: string) =>
  (host.statuses.get(`/repos/octocat/shop/statuses/${commitSha}`) ?? [])
    .filter(({ context }) => context === gateContext)
    .map(({ state }) => state)

/** Uploads for the pull request, and waits until the code host knows the decision. */
async function judged(commitSha: string, tests: Parameters<GateScene['upload']>[0]['tests'] = { adds: 'passed' }) {
  host.heads.set(`/repos/octocat/shop/pulls/${pullRequest}`, commitSha)
  await scene.upload({ commitSha, tests: tests ?? {}, fields: { pullRequest: String(pullRequest) } })
  const gate = await scene.check({ pullRequest, waitSeconds: 20 })
  await settled(scene.app, scene.projectId)
  return gate
}

test('red, a comment, a fix, the comment edited, green', async () => {
  const red = await scene.push({
    'src/cart.js': scene.lines('export function total() {', '  start() // +', '  fail() // -', '}'),
  })
  expect(await judged(red, { adds: 'failed' })).toMatchObject({ state: 'failure', conclusion: 'failure' })
  expect(statuses(red).at(-1)).toBe('failure')
  const [first, ...others] = await comments()
  expect(others).toEqual([])
  expect(first?.body).toContain('New failures')
  expect(first?.body).toContain('src/cart.js')
  expect(first?.body).toContain('`total`')

  const fixed = await scene.push({ 'src/cart.js': scene.lines('export function total() {', '  start() // +', '}') })
  expect(await judged(fixed)).toMatchObject({ state: 'success' })
  expect(statuses(fixed).at(-1)).toBe('success')
  const [edited, ...more] = await comments()
  expect(more).toEqual([])
  expect(edited?.id).toBe(first?.id)
  expect(edited?.body).toContain('All rules hold')
  expect(edited?.body).not.toContain('fails with the change')

  // A late result of the earlier commit changes its own status, and not the comment.
  await scene.upload({ commitSha: red, name: 'late', tests: { late: 'failed' } })
  await expect
    .poll(async () => (await scene.check({ head: red, waitSeconds: 20 })).figures?.failures.freshCount)
    .toBe(2)
  await settled(scene.app, scene.projectId)
  expect((await comments()).map(({ body }) => body)).toEqual([edited?.body])
})

test('a pull request with nothing to say gets a status and no comment', async () => {
  const head = await scene.push({ 'src/fine.js': scene.lines('start() // +') })
  expect(await judged(head)).toMatchObject({ state: 'success' })
  expect(statuses(head).at(-1)).toBe('success')
  expect(await comments()).toEqual([])
})

test('a gate that does not block shows success with what it would say', async () => {
  await scene.policy({ mode: 'informational' })
  const head = await scene.push({ 'src/bad.js': scene.lines('start() // -') })
  expect(await judged(head)).toMatchObject({ state: 'failure', conclusion: 'neutral' })
  expect(host.statuses.get(`/repos/octocat/shop/statuses/${head}`)?.at(-1)).toMatchObject({
    state: 'success',
    description: expect.stringContaining('A rule fails (informational): 0 of 1 changed line is covered'),
  })
})

test('names that a repository chose mention nobody and break no table', async () => {
  const head = await scene.push({ 'src/@octocat|`x`.js': scene.lines('start() // -') })
  await judged(head, { '@octocat fixes #1 | <img src=x>': 'failed' })
  const [comment] = await comments()
  expect(comment?.body).toContain('New failures')
  const prose = comment?.body.replaceAll(/(`+)[^`].*?\1(?!`)/g, '') ?? ''
  expect(prose).not.toMatch(/@octocat|<img|#1\b/)
})
