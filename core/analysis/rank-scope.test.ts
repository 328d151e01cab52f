import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockAi } from '../testing/ai-service.ts'
import { coreFailure } from '../../client/core-client.ts'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository } from '../../engines/source/testing/git-repository.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { lockDirectory } from '../../engines/source/lock.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { analysisProcesses } from './testing/processes.ts'
import { waitForClone } from './rank-scope.ts'
import { rankedFiles } from '../suggestions/testing.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'

let app: TestApp
let mockAi: Awaited<ReturnType<typeof startMockAi>>
beforeAll(async () => {
  mockAi = await startMockAi()
  app = await createTestApp({ ai: mockAi.ai })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await mockAi[Symbol.asyncDispose]()
})

const small = { 'small/a.ts': 'export function a(x: number) {\n  return x > 0 ? 1 : x < -5 ? 2 : 3\n}\n' }

async function setUp(repository: string) {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const token = await createTokenFor(app, { user })
  return { projectId, token, client: app.client(token) }
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => coreFailure(error),
  )

test('suggests tests for a part of the latest analyzed commit, stores them, and stores no analysis', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(30), ...small })
  await using host = await startGitHost({ app: repository.path })
  const { projectId, client } = await setUp(`${host.url}/app`)
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
  // The branch moves on, and suggestions stay with the commit that is known.
  await repository.commit({ 'small/b.ts': small['small/a.ts'] })
  host.requests.length = 0

  const answer = await client.analysis.suggestTests.mutate({ projectId, paths: ['small'] })
  expect(answer).toMatchObject({ commitSha, suggestionCount: 1, scope: { paths: ['small'], files: 1 } })
  expect(answer.suggestions).toMatchObject([{ id: expect.any(String), file_path: 'small/a.ts' }])
  expect(host.requests.length, 'it asks for access, and fetches nothing').toBeLessThanOrEqual(2)
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toHaveLength(1)
  const { result } = await client.projects.getLatestProjectAnalysis.query({ projectId })
  expect(result?.testCandidates).toHaveLength(31)
  expect(result?.summary.scope).toBeUndefined()
  const stored = await client.suggestions.list.query({ projectId })
  expect(stored.suggestions.map(({ id }) => id)).toEqual([answer.suggestions[0]?.id])

  const since = await client.analysis.suggestTests.mutate({ projectId, since: 'main', symbols: ['f3'] })
  expect(since).toMatchObject({ suggestions: [], summary: 'Nothing in the scope has changed since main.' })
  expect(since.scope).toEqual({ since: 'main', symbols: ['f3'], baseCommit: commitSha, files: 0 })
  const trivial = await client.analysis.suggestTests.mutate({ projectId, paths: ['package.json'] })
  expect(trivial).toMatchObject({
    suggestions: [],
    summary:
      'The scope has 1 file, and Assay ranks no function in it. It leaves out tests, generated code, trivial functions, and languages that it does not parse.',
  })
})

test('analyzes a part of a repository, over RPC and REST', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(3), ...small })
  const { projectId, client, token } = await setUp(repository.path)
  const places = (result: { testCandidates?: { path: string }[] | undefined }) =>
    result.testCandidates?.map(({ path }) => path).toSorted()
  const first = await client.analysis.analyzeRepository.mutate({ projectId, paths: ['small', 'src/f2.ts'] })
  expect(places(first)).toEqual(['small/a.ts', 'src/f2.ts'])
  // The commit is analyzed, so that a scope costs no second analysis of it.
  const { commitSha } = first
  const again = await client.analysis.analyzeRepository.mutate({ projectId, commitSha, symbols: ['f1'] })
  expect(places(again)).toEqual(['src/f1.ts'])
  expect(await client.projects.getProjectAnalyses.query({ projectId })).toHaveLength(1)

  const post = async (body: object) => {
    const path = `/api/v1/projects/${projectId}/analyze`
    const headers = { 'content-type': 'application/json' }
    const response = await app.fetch(path, { method: 'POST', token, headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as AnalysisResult }
  }
  const { status, body } = await post({ commitSha, paths: ['small'] })
  expect([status, places(body)]).toEqual([200, ['small/a.ts']])
  expect(await post({ commitSha, paths: ['smal'] })).toMatchObject({
    status: 400,
    body: {
      message: expect.stringMatching(/^paths: the repository has no file or folder "smal". The nearest .*: small\b/),
    },
  })
  expect((await post({})).status).toBe(202)
})

test('refuses what does not exist with the nearest names, and what is dangerous before anything is read', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(3), ...small })
  await using host = await startGitHost({ app: repository.path })
  const { projectId, client } = await setUp(`${host.url}/app`)
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
  const messages: [object, string][] = [
    [{ paths: ['src/f3.ts'] }, 'paths: the repository has no file or folder "src/f3.ts". The nearest names are: src/f'],
    [{ symbols: ['f11'] }, 'symbols: the repository has no symbol "f11". The nearest names are: f1'],
    [{ since: 'mian' }, 'since: the repository has no branch, tag or commit "mian". The nearest names are: main.'],
    [{ since: 'f'.repeat(40) }, 'since: the repository has no branch, tag or commit'],
    [{ since: '--upload-pack=touch /tmp/pwned' }, 'since: must'],
    [{ since: '-x' }, 'since: must not start with a dash'],
    [{ since: 'main..x' }, 'since: must be the name of a branch, a tag or a commit'],
    [{ paths: ['../x'] }, 'paths.0: must be a path within the repository'],
    [{ paths: ['/etc/passwd'] }, 'paths.0: must be a path within the repository'],
    [{ paths: ['a\0'] }, 'paths.0: must be plain text'],
    [{ symbols: Array.from({ length: 51 }, () => 'x') }, 'symbols: must have at most 50 entries'],
  ]
  for (const [scope, message] of messages) {
    for (const call of [
      () => client.analysis.suggestTests.mutate({ projectId, ...scope }),
      () => client.analysis.analyzeRepository.mutate({ projectId, commitSha, ...scope }),
    ]) {
      expect(await refusal(call()), JSON.stringify(scope)).toMatchObject({
        status: 400,
        message: expect.stringContaining(message),
      })
    }
  }
  const withBoth = client.analysis.suggestTests.mutate({ projectId, paths: ['src'], analysisOverride: {} as never })
  expect(await refusal(withBoth)).toMatchObject({ status: 400, message: expect.stringContaining('analysisOverride') })
})

test('calls for a part wait for each other, and end when their clients leave', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(3), ...small })
  const { projectId, client } = await setUp(repository.path)
  const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
  const call = (signal?: AbortSignal) =>
    client.analysis.analyzeRepository.mutate({ projectId, commitSha, paths: ['small'] }, signal ? { signal } : {})
  const answers = await Promise.all(Array.from({ length: 4 }, () => call()))
  expect(new Set(answers.map((answer) => answer.testCandidates?.length))).toEqual(new Set([1]))

  // The tenth of one caller is too much, and those that left leave nothing behind.
  const leaving = new AbortController()
  const many = Array.from({ length: 40 }, () => call(leaving.signal).catch((error: unknown) => coreFailure(error)))
  const refused = await Promise.any(
    many.map(async (one) => {
      const failure = (await one) as { status?: number } | undefined
      if (failure?.status !== 429) throw new Error('not refused')
      return failure
    }),
  )
  expect(refused).toMatchObject({ message: expect.stringContaining('analyses of a part of a repository') })
  leaving.abort()
  await Promise.all(many)
  expect(await call()).toMatchObject({ testCandidates: [{ path: 'small/a.ts' }] })
})

test('calls that wait for an analysis of their project hold up no other project', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(3), ...small })
  const all = await Promise.all(Array.from({ length: 6 }, () => setUp(repository.path)))
  const analyzed = await Promise.all(
    all.map(async ({ client, projectId }) => {
      const { commitSha } = await client.analysis.analyzeRepository.mutate({ projectId })
      return () => client.analysis.analyzeRepository.mutate({ projectId, commitSha, paths: ['small'] })
    }),
  )
  await using locks = new AsyncDisposableStack()
  for (const { projectId } of all.slice(1)) {
    locks.use(await lockDirectory(cacheDirectory(app.config, projectId), AbortSignal.timeout(10_000)))
  }
  const [free, ...locked] = analyzed
  const waiting = locked.map((call) => call())
  const isFirst = await Promise.race([free?.().then(() => true), Promise.any(waiting).then(() => false)])
  expect(isFirst).toBe(true)
  const directory = cacheDirectory(app.config, all[1]?.projectId ?? '')
  await expect(waitForClone(directory, new AbortController().signal, 100)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'An analysis of this project is running. Repeat the call when it has ended.',
  })
  await locks.disposeAsync()
  for (const answer of await Promise.all(waiting)) expect(answer.testCandidates).toMatchObject([{ path: 'small/a.ts' }])
})

test('a scope whose process is killed can be asked for again', async () => {
  await using repository = await createGitRepository({ ...rankedFiles(3), ...small })
  await using host = await startGitHost({ app: repository.path })
  const { projectId, client } = await setUp(`${host.url}/app`)
  await client.analysis.analyzeRepository.mutate({ projectId })
  await repository.git('branch', 'other')
  await repository.commit({ 'small/b.ts': small['small/a.ts'] })
  host.behaviour.stallAfterBytes = 1
  const asked = refusal(client.analysis.suggestTests.mutate({ projectId, since: 'other' }))
  await host.stalled
  for (const pid of analysisProcesses()) process.kill(pid, 'SIGKILL')
  expect(await asked).toMatchObject({
    kind: 'refused',
    status: 503,
    message: expect.stringContaining('Repeat the call'),
  })
})
