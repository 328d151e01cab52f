import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { type CodeHost, startCodeHost } from '../testing/code-host.ts'
import { createLinkFor, createMembershipFor, createOrganizationFor, createTokenFor } from '../testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'

const token = 'secretTokenThatLooksLikeNothing42'
const path = 'src/a.ts'
const minute = 60_000

let app: TestApp
let host: CodeHost
let repository: GitRepository
let other: GitRepository
let commitSha: string
let passed = 0
beforeAll(async () => {
  repository = await createGitRepository({ [path]: 'export const secret = 1\n' })
  commitSha = await repository.git('rev-parse', 'HEAD')
  other = await createGitRepository({ 'b.ts': 'b()\n' })
  host = await startCodeHost({ git: { 'octocat/secret': repository.path, 'octocat/other': other.path } })
  app = await createTestApp({ codeHost: host.config }, { now: () => new Date(Date.now() + passed) })
})
beforeEach(() => {
  host.tokens = new Map([[token, { login: 'octocat', scopes: ['repo'] }]])
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

async function createScene() {
  const { user, linkId } = await createLinkFor(app, { accessToken: token })
  const { id: organizationId } = await createOrganizationFor(app, { user })
  const client = app.client(await createTokenFor(app, { user }))
  const { id: projectId } = await client.projects.createProject.mutate({
    name: 'Secret',
    organizationId,
    repository: `${host.url}/octocat/secret`,
  })
  const { user: viewer } = await createViewer(organizationId)
  return { client, projectId, linkId, viewer: app.client(viewer) }
}

async function createViewer(organizationId: string) {
  const { userId } = await createMembershipFor(app, { organizationId, role: 'viewer' })
  const user = await app.dataSource.query<{ id: string }[]>('SELECT * FROM users WHERE id = $1', [userId])
  return { user: await createTokenFor(app, { user: user[0] as never }) }
}

const problem = (call: Promise<unknown>) =>
  call.then(
    () => 'no problem',
    (error: Error & { data?: { httpStatus?: number } }) => `${error.data?.httpStatus} ${error.message}`,
  )

test('members see the source of a private repository as long as its account can read it', async () => {
  const { client, viewer, projectId } = await createScene()
  const lines = () => client.code.getLines.query({ projectId, path, commitSha })
  expect(await lines()).toMatchObject({ totalLines: 1 })
  expect(await viewer.code.getFile.query({ projectId, path, commitSha })).toMatchObject({ totalLines: 1 })

  // The next pages come from here: nothing is fetched, and the server is not asked again for a minute.
  host.requests = []
  expect(await lines()).toMatchObject({ totalLines: 1 })
  expect(host.requests).toEqual([])

  // The account loses its access. The source is still stored here, but nobody gets it.
  host.tokens = new Map()
  passed += minute + 1
  const calls = [
    lines(),
    viewer.code.getFile.query({ projectId, path, commitSha }),
    client.code.listFiles.query({ projectId, commitSha }),
  ]
  for (const message of await Promise.all(calls.map(problem))) {
    expect(message).toContain('409 Assay cannot read the source: ')
    expect(message).toContain('link the account again')
    expect(message).not.toContain(token)
  }
})

test('unlinking the account takes effect at once', async () => {
  const { client, projectId, linkId } = await createScene()
  const lines = () => client.code.getLines.query({ projectId, path, commitSha })
  expect(await lines()).toMatchObject({ totalLines: 1 })
  await app.dataSource.query('DELETE FROM account_links WHERE id = $1', [linkId])
  expect(await problem(lines())).toContain('409 Assay cannot read the source: ')
})

test('a project whose repository was changed shows nothing of the one before', async () => {
  const { client, projectId } = await createScene()
  await client.code.getLines.query({ projectId, path, commitSha })
  await app.dataSource.query('UPDATE projects SET repository = $2 WHERE id = $1', [
    projectId,
    `${host.url}/octocat/other`,
  ])
  expect(await problem(client.code.getLines.query({ projectId, path, commitSha }))).toContain('404 No such commit.')
})
