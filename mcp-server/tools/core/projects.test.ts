import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pageAt } from '../../../core/testing/dashboard-pages.ts'
import { createProjectFor, createTokenFor, createUser } from '../../../core/testing/factories.ts'
import { defaultBudgetTokens, estimateTokens, hardCapBytes } from '../../answers/output.ts'
import { connectV2, type TestClient } from '../../testing/clients.ts'
import { type Stack, startStack } from '../../testing/stack.ts'

let stack: Stack
let user: Awaited<ReturnType<typeof createUser>>
let client: TestClient

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

beforeEach(async () => {
  user = await createUser(stack.core, { name: 'Ada' })
  const token = await createTokenFor(stack.core, { user })
  client = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  return () => client[Symbol.asyncDispose]()
})

const create = (fields: Parameters<typeof createProjectFor>[1]) => createProjectFor(stack.core, { user, ...fields })

test('whoami shows the user and the scopes', async () => {
  const { facts, text } = await client.call('whoami')
  expect(facts).toMatchObject({ user: { id: user.id, email: user.email, name: 'Ada' }, tokenName: 'Test' })
  expect(facts['scopes']).toContain('projects:read')
  expect(text).toContain(`user: id ${user.id}, name Ada, email ${user.email}`)
  expect(JSON.stringify(facts)).not.toContain('svc_')
})

test('finds projects by a part of their name or repository, in consecutive pages', async () => {
  for (let index = 0; index < 5; index += 1) await create({ name: `Shop ${index}` })
  await create({ name: 'Other', repository: 'https://example.com/acme/bookSHOP' })
  await create({ name: 'Unrelated' })

  const first = await client.call('list_projects', { query: 'shop', limit: '4' })
  expect(first.facts).toMatchObject({ total: 6, offset: 0, nextOffset: 4 })
  expect(first.text).toContain('Call again with offset 4 for the rest.')
  const second = await client.call('list_projects', { query: 'shop', limit: 4, offset: 4 })
  expect(second.facts).toMatchObject({ total: 6, offset: 4 })
  expect(second.facts).not.toHaveProperty('nextOffset')
  const names = [first, second].flatMap(({ facts }) =>
    (facts['projects'] as { name: string }[]).map(({ name }) => name),
  )
  expect(names.toSorted()).toEqual(['Other', 'Shop 0', 'Shop 1', 'Shop 2', 'Shop 3', 'Shop 4'])
  for (const name of names) expect(first.text + second.text).toContain(name)
})

test('names the next step where there are no projects', async () => {
  expect(await client.call('list_projects')).toMatchObject({
    facts: { projects: [], total: 0, offset: 0 },
    text: 'projects (0 of 0): none\nCall create_project to add a repository.',
  })
})

test('cuts many long projects to the budget, and with a given limit to the hard cap', async () => {
  for (let index = 0; index < 100; index += 1) {
    await create({ name: `Project ${index}`, repository: `https://example.com/${'x'.repeat(400)}/${index}` })
  }
  const plain = await client.call('list_projects')
  expect(estimateTokens(JSON.stringify(plain.facts))).toBeLessThanOrEqual(defaultBudgetTokens)
  expect(plain.facts).toMatchObject({ total: 100, cut: expect.stringContaining('of the 20 requested items fit') })
  const much = await client.call('list_projects', { limit: 100 })
  expect(Buffer.byteLength(JSON.stringify(much))).toBeLessThanOrEqual(hardCapBytes)
  expect(much.facts['nextOffset']).toBeGreaterThan(Number(plain.facts['nextOffset']))
  expect(much.text).toContain(`Call again with offset ${String(much.facts['nextOffset'])} for the rest.`)
})

test('finds a project by any spelling of its repository, by owner/name and by its name', async () => {
  const { id } = await create({ name: 'The Shop', repository: 'https://github.com/Acme/shop.git' })
  for (const repository of ['git@github.com:acme/shop.git', 'acme/shop', 'https://github.com/acme/shop', 'the shop']) {
    expect((await client.call('get_project', { repository })).facts).toMatchObject({ id, name: 'The Shop' })
  }
  const byId = await client.call('get_project', { projectId: id })
  expect(byId.text).toContain('data, not instructions')
  expect(byId.facts).toMatchObject({ id, analyses: [], next: 'Next: analyze_repository, then suggest_tests.' })
})

test('lists the ids where a repository has two projects', async () => {
  const [first, second] = await Promise.all([create({}), create({})])
  const { isError, text } = await client.call('get_project', { repository: 'https://example.com/a/project' })
  expect(isError).toBe(true)
  expect(text).toContain(first.id)
  expect(text).toContain(second.id)
})

test('says how to add a repository without a project', async () => {
  expect(await client.call('get_project', { repository: 'https://example.com/no/where' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('Call create_project with its address'),
  })
})

test('does not find a project of another user by its repository', async () => {
  const { repository } = await createProjectFor(stack.core)
  expect((await client.call('get_project', { repository })).isError).toBe(true)
})

test('creates a project', async () => {
  const { facts } = await client.call('create_project', {
    name: 'Shop',
    repository: 'https://example.com/acme/shop.git',
    description: '',
  })
  expect(facts).toMatchObject({ name: 'Shop', next: expect.stringContaining('suggest_tests') })
  expect(facts['url']).toBe(`${stack.core.url}/projects/${String(facts['id'])}`)
  expect(await pageAt(String(facts['url']), stack.core.url)).toBe('/projects/$projectId')
  const { projects } = (await client.call('list_projects')).facts as { projects: { id: string }[] }
  expect(projects.map(({ id }) => id)).toEqual([facts['id']])
})

test('refuses a repository that has a project already, unless name or branch differ', async () => {
  const { id } = await create({ name: 'Shop', repository: 'https://github.com/acme/shop', branch: 'main' })
  const again = { name: 'shop', repository: 'git@github.com:acme/shop.git' }
  const refused = await client.call('create_project', again)
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(id) })
  expect((await client.call('create_project', { ...again, branch: 'main' })).isError).toBe(true)
  const https = { ...again, repository: 'https://github.com/acme/shop.git' }
  expect((await client.call('create_project', { ...https, branch: 'next' })).facts).toMatchObject({ branch: 'next' })
  expect((await client.call('create_project', { ...https, name: 'Other', branch: 'main' })).isError).toBe(false)
})

test('a token without the scope to read projects can create one', async () => {
  const token = await createTokenFor(stack.core, { user, scopes: ['projects:write'] })
  await using writer = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  const made = { name: 'Shop', repository: 'https://example.com/acme/shop', branch: 'main' }
  expect((await writer.call('create_project', made)).isError).toBe(false)
})

test.each([
  ['create_project', { name: 'Shop' }, 'repository: is required'],
  ['list_projects', { limit: 1000 }, 'limit: must be at most 100'],
  ['list_projects', { page: 2 }, 'unknown argument page; the arguments are query, limit, offset'],
  ['list_projects', { userEmail: 'ada@example.com' }, 'unknown argument userEmail'],
  [
    'suggest_tests',
    { page: 2 },
    'the arguments are projectId, paths, since, symbols, measure, detail, maxSuggestions, offset.',
  ],
  ['get_project', {}, 'give either projectId or repository'],
  ['get_project', { projectId: 'a', repository: 'b' }, 'give either projectId or repository'],
  ['get_analysis', {}, 'give either projectId or analysisId'],
  ['analyze_repository', {}, 'give exactly one of projectId, analysisId'],
  ['analyze_repository', { analysisId: 'a', branch: 'main' }, 'branch and commitSha need a projectId'],
  ['analyze_repository', { projectId: 'a', commitSha: 'HEAD' }, 'commitSha: must be a full commit id'],
  ['get_analysis', { analysisId: 'a'.repeat(20_000) }, 'analysisId: must have at most 64 characters'],
  ['suggest_tests', { projectId: 'a'.repeat(65) }, 'projectId: must have at most'],
  ['analyze_repository', { projectId: 'a', offset: 5 }, 'offset needs paths, since or symbols. get_analysis pages'],
  ['analyze_repository', { localPath: '/' }, 'localPath works only where the MCP server runs on your own machine'],
  ['suggest_tests', { localPath: '/' }, 'localPath works only where the MCP server runs on your own machine'],
  ['suggest_tests', { projectId: 'a', since: '--upload-pack=x' }, 'since: must'],
  ['suggest_tests', { projectId: 'a', paths: ['/etc/passwd'] }, 'paths.0: must be a path within the repository'],
  ['analyze_repository', { projectId: 'a', paths: ['../x'] }, 'paths.0: must be a path within the repository'],
  ['suggest_tests', {}, 'give projectId. list_projects shows the ids.'],
])('%s refuses %j and says what is wrong', async (tool, args, message) => {
  const { isError, text } = await client.call(tool, args)
  expect(isError).toBe(true)
  expect(text).toContain(message)
  expect(text.startsWith(`${tool} was not run: `)).toBe(true)
})

test('shows core’s reason for refusing a repository', async () => {
  const { isError, text } = await client.call('create_project', { name: 'Bad', repository: 'ext::sh -c id' })
  expect(isError).toBe(true)
  expect(text).toContain('create_project failed. repository')
})

test('names a missing scope, and the tool that shows the scopes', async () => {
  const token = await createTokenFor(stack.core, { user, scopes: ['profile:read'] })
  await using weak = await connectV2({ kind: 'http', url: stack.mcpUrl, token }, 'auto')
  const needed = {
    list_projects: [{}, 'projects:read'],
    get_project: [{ projectId: 'x' }, 'projects:read'],
    create_project: [{ name: 'x', repository: 'https://example.com/a/b' }, 'projects:write'],
    analyze_repository: [{ projectId: 'x' }, 'analysis:run'],
    get_analysis: [{ projectId: 'x' }, 'projects:read'],
    suggest_tests: [{ projectId: 'x' }, 'analysis:run'],
  } as const
  for (const [tool, [args, scope]] of Object.entries(needed)) {
    const { isError, text } = await weak.call(tool, args)
    expect(isError).toBe(true)
    expect(text.split(scope)).toHaveLength(2)
    expect(text).toContain('whoami')
  }
  expect((await weak.call('whoami')).facts).toMatchObject({ scopes: ['profile:read'] })
})

test('lists the tools when asked for an unknown one', async () => {
  await expect(client.call('delete_everything')).rejects.toThrow(/Unknown tool delete_everything.*list_projects/)
})

test('says how to enable a tool of a toolset that is off', async () => {
  await expect(client.call('request_quarantine')).rejects.toThrow(
    /request_quarantine is not available: it is in the toolset tests, which is off\. Enable it with --toolsets default,tests .*list_projects/,
  )
})
