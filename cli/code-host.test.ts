import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FoundConnection } from '../core/code-host-connections/schema.ts'
import { createTestApp, type TestApp } from '../core/testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../core/testing/factories.ts'
import { type GiteaHost, giteaPath, startGiteaHost } from '../core/testing/gitea-host.ts'
import { type GitLabHost, gitLabPath, startGitLabHost } from '../core/testing/gitlab-host.ts'
import { assay } from './testing/assay.ts'

const token = 'glpat-tokenOfTheCommandLine'

let core: TestApp
let gitLab: GitLabHost
let gitea: GiteaHost
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  gitLab = opened.use(await startGitLabHost())
  gitea = opened.use(await startGiteaHost())
  core = opened.use(await createTestApp())
  gitLab.tokens.set(token, { username: 'bot', scopes: ['api'] })
  gitLab.members.set('bot', 30)
  gitea.tokens.set(token, { login: 'bot' })
  gitea.collaborators.set('bot', 'write')
})
afterAll(() => opened.disposeAsync())

/** A project of its own, and what the commands of its user print. */
async function setUp(repository: string) {
  const user = await createUser(core)
  const organization = await createOrganizationFor(core, { user })
  const place = { organizationId: organization.id, repository }
  const { id } = await createProjectFor(core, { user, ...place })
  const viewer = await createUser(core)
  await createMembershipFor(core, { organizationId: organization.id, user: viewer, role: 'viewer' })
  const envOf = async (owner: typeof user) => ({
    SVC_BASE_URL: core.url,
    SVC_API_TOKEN: await createTokenFor(core, { user: owner }),
  })
  const [env, envOfViewer] = await Promise.all([envOf(user), envOf(viewer)])
  const codeHost = (words: string[], { input = '', more = {} }: { input?: string; more?: object } = {}) =>
    assay(['code-host', ...words, '--project', id], { env: { ...env, ...more }, input })
  const asViewer = (words: string[], input = '') =>
    assay(['code-host', ...words, '--project', id], { env: envOfViewer, input })
  return { codeHost, asViewer }
}

const gitLabRepository = () => `${gitLab.url}/${gitLabPath}.git`

test('an admin pipes a token, sees the connection without it, and removes it', async () => {
  const { codeHost } = await setUp(gitLabRepository())
  expect(await codeHost([])).toMatchObject({
    exitCode: 0,
    stdout: 'The project has no connection to a code host.\n',
    stderr: '',
  })
  const set = await codeHost(['set', 'gitlab', '--with-token'], { input: `${token}\n` })
  expect(set).toMatchObject({ exitCode: 0, stderr: '' })
  expect(set.stdout).toMatch(new RegExp(`^connected  GitLab  ${gitLab.apiUrl}\nSet\t20`))
  const shown = await codeHost(['show', '--json'])
  expect((JSON.parse(shown.stdout) as FoundConnection).connection).toMatchObject({
    kind: 'gitlab',
    apiUrl: gitLab.apiUrl,
    lastProblem: null,
  })
  for (const { stdout, stderr } of [set, shown]) expect(stdout + stderr).not.toContain(token)

  const refused = await codeHost(['remove'])
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--yes') })
  expect(await codeHost(['remove', '--yes'])).toMatchObject({
    exitCode: 0,
    stdout: `Removed the connection to ${gitLab.apiUrl}.\n`,
  })
  expect((await codeHost(['remove', '--yes'])).stdout).toBe('The project has no connection.\n')
})

test('the token comes from an environment variable that the user names, also to replace an earlier one', async () => {
  const { codeHost } = await setUp(`${gitea.url}/${giteaPath}`)
  const unset = await codeHost(['set', 'gitea', '--token-env', 'GITEA_TOKEN'])
  expect(unset).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('GITEA_TOKEN is not set') })
  for (const apiUrl of [gitea.apiUrl, `${gitea.apiUrl}/`]) {
    const words = ['set', 'gitea', '--api-url', apiUrl, '--token-env', 'GITEA_TOKEN']
    const set = await codeHost(words, { more: { GITEA_TOKEN: token } })
    expect(set).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`Gitea or Forgejo  ${gitea.apiUrl}\n`) })
  }
})

test('says what a token lacks, and changes nothing', async () => {
  const { codeHost } = await setUp(gitLabRepository())
  gitLab.tokens.set('glpat-reads', { username: 'bot', scopes: ['read_api'] })
  const set = (input: string, ...words: string[]) => codeHost(['set', 'gitlab', '--with-token', ...words], { input })
  const lacking = await set('glpat-reads')
  expect(lacking).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('lacks the scope api') })
  const unknown = await set('glpat-unknown')
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The code host rejects the token') })
  const elsewhere = await set(token, '--api-url', 'http://10.0.0.1/api/v4')
  expect(elsewhere).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await set('')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No token was given') })
  expect(await codeHost(['set', 'gitlab'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--token-env'),
  })
  expect(await codeHost(['set', 'bitbucket', '--with-token'], { input: token })).toMatchObject({ exitCode: 2 })
  expect((await codeHost([])).stdout).toBe('The project has no connection to a code host.\n')
})

test('a viewer sees the connection and cannot change it', async () => {
  const { codeHost, asViewer } = await setUp(gitLabRepository())
  await codeHost(['set', 'gitlab', '--with-token'], { input: token })
  expect((await asViewer(['show'])).stdout).toMatch(/^connected {2}GitLab/)
  expect(await asViewer(['set', 'gitlab', '--with-token'], token)).toMatchObject({ exitCode: 3, stdout: '' })
  expect(await asViewer(['remove', '--yes'])).toMatchObject({ exitCode: 3, stdout: '' })
  expect((await codeHost([])).stdout).toMatch(/^connected/)
})
