import { access } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { analysisProcesses } from './testing/processes.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const shop = {
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.2.3',
    dependencies: { koa: '3' },
    devDependencies: { vitest: '5' },
  }),
  'src/price.ts': [
    'export function price(count: number, member: boolean) {',
    '  if (count <= 0) throw new Error("nothing")',
    '  if (count > 100 && member) return count * 0.8',
    '  return member ? count * 0.9 : count',
    '}',
    '',
  ].join('\n'),
  'src/app.ts':
    "import { price } from './price.ts'\nexport function total(counts: number[]) {\n  return counts.map((c) => price(c, false))\n}\n",
  'test/app.test.ts':
    "import { total } from '../src/app.ts'\nimport { test } from 'vitest'\ntest('total', () => { total([1]) })\n",
}

async function setUp(repository: string, fields: object = {}, on = app) {
  const user = await createUser(on)
  const project = await createProjectFor(on, { user, repository, ...fields })
  return { projectId: project.id, client: on.client(await createTokenFor(on, { user })) }
}

test('finds test candidates in a repository, with existing symbols and lines', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  const result = await client.analysis.analyzeRepository.mutate({ projectId })
  expect(result).toMatchObject({
    commitSha: await repository.git('rev-parse', 'HEAD'),
    branch: 'main',
    summary: { totalFiles: 4, languages: { TypeScript: 3, JSON: 1 }, hasTests: true },
    packageInfo: { name: 'shop', version: '1.2.3' },
  })
  const [best] = result.testCandidates ?? []
  expect(best).toMatchObject({ path: 'src/price.ts', symbol: 'price', kind: 'function', startLine: 1, endLine: 5 })
  expect(best?.reasons.length).toBeGreaterThan(1)

  const project = await client.projects.getProject.query({ projectId })
  expect(project).toMatchObject({ language: 'TypeScript', framework: expect.stringMatching(/koa/i) })
  const latest = await client.projects.getLatestProjectAnalysis.query({ projectId })
  expect(latest).toMatchObject({ status: 'completed', filesAnalyzed: 4, progress: null, error: null, result })
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toHaveLength(1)
})

test('candidates are listed by rank, with a search and by how much tests reach them', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  await expect(client.analysis.listCandidates.query({ projectId })).rejects.toMatchObject({
    message: expect.stringContaining('Call analysis.analyzeRepository first'),
  })
  const { testCandidates = [] } = await client.analysis.analyzeRepository.mutate({ projectId })
  const { analysis, candidates, pagination } = await client.analysis.listCandidates.query({ projectId })
  expect(analysis).toMatchObject({ projectId, status: 'completed' })
  expect(candidates).toEqual(testCandidates.map((candidate, index) => ({ ...candidate, rank: index + 1 })))
  expect(pagination).toEqual({ total: testCandidates.length, limit: 20, offset: 0 })

  const symbols = async (input: object) =>
    (await client.analysis.listCandidates.query({ projectId, ...input })).candidates.map(({ symbol }) => symbol)
  expect(await symbols({ limit: 1, offset: 1 })).toEqual([testCandidates[1]?.symbol])
  expect(await symbols({ search: 'PRICE.ts' })).toEqual(['price'])
  expect(await symbols({ search: '%' })).toEqual([])
  const untested = testCandidates.filter(({ coverage = 0 }) => coverage === 0).map(({ symbol }) => symbol)
  expect(await symbols({ coverage: 'none' })).toEqual(untested)
})

test('says how the project is tested, by its own test command if it has one', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  const detected = await client.analysis.analyzeRepository.mutate({ projectId })
  expect(detected.summary.testing).toMatchObject([{ framework: 'vitest', fileCommand: 'npx vitest run {file}' }])
  expect(detected.testCandidates?.[0]?.brief).toMatchObject({
    framework: 'vitest',
    testFile: { path: 'test/price.test.ts', exists: false },
    command: 'npx vitest run test/price.test.ts',
    import: "import { price } from '../src/price.ts'",
  })
  await client.projects.updateProjectSettings.mutate({ projectId, settings: { testCommand: 'npx mocha test' } })
  const { summary } = await client.analysis.analyzeRepository.mutate({ projectId })
  expect(summary.testing).toMatchObject([{ framework: 'mocha' }])
})

test('stores names with characters that the database rejects, and the text of their escapes unchanged', async () => {
  await using repository = await createGitRepository({
    'package.json': '{"name":"a\\u0000b\\ud800","version":"\\\\u0000"}',
  })
  const { projectId, client } = await setUp(repository.path)
  const { packageInfo } = await client.analysis.analyzeRepository.mutate({ projectId })
  expect(packageInfo).toMatchObject({ name: 'a b\ufffd', version: '\\u0000' })
})

test('analyzes a branch over REST and waits for the end', async () => {
  await using repository = await createGitRepository(shop)
  await repository.git('checkout', '-q', '-b', 'feature/x')
  const commitSha = await repository.commit({ 'src/extra.py': 'def extra(a):\n    return a and 1\n' })
  await using host = await startGitHost({ shop: repository.path })
  const user = await createUser(app)
  const project = await createProjectFor(app, { user, repository: `${host.url}/shop` })
  const token = await createTokenFor(app, { user })
  const response = await app.fetch(`/api/v1/projects/${project.id}/analyze`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ branch: 'feature/x' }),
  })
  const accepted = (await response.json()) as { analysisId: string }
  expect([response.status, accepted]).toEqual([
    202,
    { analysisId: expect.any(String), status: 'pending', message: expect.any(String) },
  ])
  const analysis = await app
    .client(token)
    .analysis.getAnalysis.query({ ...accepted, waitSeconds: 30, includeResult: true })
  expect(analysis).toMatchObject({ status: 'completed', commitSha, branch: 'feature/x', languages: { Python: 1 } })
  expect(analysis.result?.files).toHaveLength(5)
})

test('a request joins a queued or running analysis of the same commit, and later requests start a new one', async () => {
  await using repository = await createGitRepository(shop)
  // Without a worker, the analysis waits until every request has come.
  await using web = await createTestApp({ role: 'web' })
  const { projectId, client } = await setUp(repository.path, {}, web)
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await client.analysis.startAnalysis.mutate({ projectId })).id),
  )
  expect(new Set(ids).size).toBe(1)
  const other = await client.analysis.startAnalysis.mutate({ projectId, branch: 'other' })
  expect(ids).not.toContain(other.id)
  const [analysisId = ''] = ids
  await using _worker = await createTestApp({ databaseUrl: web.config.databaseUrl })
  expect((await client.analysis.getAnalysis.query({ analysisId, waitSeconds: 30 })).status).toBe('completed')
  const failed = await client.analysis.getAnalysis.query({ analysisId: other.id, waitSeconds: 30 })
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'branch_not_found', message: expect.stringContaining('other') },
  })
  expect(ids).not.toContain((await client.analysis.startAnalysis.mutate({ projectId })).id)
})

test('a request after a push does not join the analysis of the previous commit', async () => {
  await using repository = await createGitRepository(shop)
  await using web = await createTestApp({ role: 'web' })
  const { projectId, client } = await setUp(repository.path, {}, web)
  const first = await repository.git('rev-parse', 'HEAD')
  const { id } = await client.analysis.startAnalysis.mutate({ projectId })
  await web.dataSource.query("UPDATE analyses SET status = 'running', commit_sha = $2, branch = 'main' WHERE id = $1", [
    id,
    first,
  ])
  expect((await client.analysis.startAnalysis.mutate({ projectId })).id).toBe(id)
  expect((await client.analysis.startAnalysis.mutate({ projectId, commitSha: first })).id).toBe(id)
  await repository.commit({ 'src/new.ts': 'export const x = 1\n' })
  expect((await client.analysis.startAnalysis.mutate({ projectId })).id).not.toBe(id)
})

test('an analysis of an unreadable repository fails with the reason and leaves only its record', async () => {
  await using empty = await createGitRepository()
  const cases: [string, string][] = [
    [empty.path, 'empty_repository'],
    ['/no/such/place', 'not_a_repository'],
    ['https://127.0.0.1:1/a/b', 'unreachable'],
    ['https://10.0.0.1/a/b', 'url_refused'],
  ]
  for (const [repository, code] of cases) {
    const { projectId, client } = await setUp(repository)
    await expect(client.analysis.analyzeRepository.mutate({ projectId })).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST' },
    })
    const [analysis] = await client.projects.getProjectAnalyses.query({ projectId })
    expect([repository, analysis]).toEqual([
      repository,
      expect.objectContaining({ status: 'failed', error: { code, message: expect.stringMatching(/\w.*\.$/s) } }),
    ])
    await expect(access(cacheDirectory(app.config, projectId))).rejects.toThrow('ENOENT')
  }
})

test('a call that waits for an analysis returns when the program stops, without delaying it', async () => {
  await using repository = await createGitRepository(shop)
  await using other = await createTestApp({ role: 'web' })
  const user = await createUser(other)
  const project = await createProjectFor(other, { user, repository: repository.path })
  const { analysis } = other.client(await createTokenFor(other, { user }))
  const { id: analysisId } = await analysis.startAnalysis.mutate({ projectId: project.id })
  const waiting = analysis.getAnalysis.query({ analysisId, waitSeconds: 45 })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const startedAt = performance.now()
  await other[Symbol.asyncDispose]()
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  expect((await waiting).status).toBe('pending')
})

test('rejects malformed branches and commits, and foreign repositories', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  const start = (input: object) => client.analysis.startAnalysis.mutate({ projectId, ...input })
  await expect(start({ branch: '--upload-pack=touch /tmp/x' })).rejects.toThrow(/^branch:/)
  await expect(start({ commitSha: 'HEAD' })).rejects.toThrow(/^commitSha:/)
  await expect(start({ repoUrl: 'https://example.com/other' })).rejects.toThrow(/^repoUrl:/)
  expect((await start({ repoUrl: repository.path })).status).toBe('pending')
})

test('no owner can fill the shared queue', async () => {
  await using web = await createTestApp({ role: 'web' })
  const user = await createUser(web)
  const project = await createProjectFor(web, { user })
  const client = web.client(await createTokenFor(web, { user }))
  const asked = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      client.analysis.startAnalysis.mutate({ projectId: project.id, branch: `branch-${index}` }),
    ),
  )
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  const refused = asked.find(({ status }) => status === 'rejected')
  expect(refused).toMatchObject({ reason: { data: { code: 'CONFLICT', httpStatus: 409 } } })
})

test('an analysis that waits for a hanging server ends soon after its project is deleted', async () => {
  await using repository = await createGitRepository(shop)
  await using host = await startGitHost({ shop: repository.path }, { stallAfterBytes: 1 })
  const { projectId, client } = await setUp(`${host.url}/shop`)
  await client.analysis.startAnalysis.mutate({ projectId })
  await host.stalled
  await client.projects.deleteProject.mutate({ projectId })
  const startedAt = performance.now()
  await expect
    .poll(async () => (await app.dataSource.query("SELECT 1 FROM pgboss.job WHERE state = 'active'")).length, {
      timeout: 15_000,
    })
    .toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  await expect(access(cacheDirectory(app.config, projectId))).rejects.toThrow('ENOENT')
})

test('repeats an analysis if its process is killed', async () => {
  await using repository = await createGitRepository(shop)
  await using host = await startGitHost({ shop: repository.path }, { stallAfterBytes: 1 })
  const { projectId, client } = await setUp(`${host.url}/shop`)
  const { id: analysisId } = await client.analysis.startAnalysis.mutate({ projectId })
  await host.stalled
  host.behaviour.stallAfterBytes = undefined
  for (const pid of analysisProcesses()) process.kill(pid, 'SIGKILL')
  const analysis = await client.analysis.getAnalysis.query({ analysisId, waitSeconds: 30 })
  expect(analysis).toMatchObject({ status: 'completed', error: null })
})

test('deleting a project stops its analysis and deletes its clone', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  await client.analysis.analyzeRepository.mutate({ projectId })
  await access(cacheDirectory(app.config, projectId))
  const { id } = await client.analysis.startAnalysis.mutate({ projectId })
  await client.projects.deleteProject.mutate({ projectId })
  await expect(client.analysis.getAnalysis.query({ analysisId: id })).rejects.toThrow('No such analysis')
  await expect
    .poll(() =>
      access(cacheDirectory(app.config, projectId)).then(
        () => 'there',
        () => 'gone',
      ),
    )
    .toBe('gone')
})

test('an analysis of another user returns 404, like a missing one', async () => {
  await using repository = await createGitRepository(shop)
  const { projectId, client } = await setUp(repository.path)
  const { id } = await client.analysis.startAnalysis.mutate({ projectId })
  const stranger = app.client(await createTokenFor(app))
  const ask = (analysisId: string) =>
    stranger.analysis.getAnalysis.query({ analysisId }).catch((error: Error) => error.message)
  expect(await ask(id)).toBe(await ask('01ARZ3NDEKTSV4RRFFQ69G5FAV'))
})
