import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { coreFailure } from '../../client/core-client.ts'
import type { Snapshot } from '../snapshots/schema.ts'
import { packTree, sendPack, sendTree } from '../snapshots/testing.ts'
import { type TestAi, startAi } from '../testing/ai-service.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../testing/factories.ts'
import { rankedFiles } from './testing.ts'

let ai: TestAi
let app: TestApp
beforeAll(async () => {
  ai = await startAi()
  app = await createTestApp({ ai: { url: ai.url, secret: undefined, timeoutMs: 60_000 } })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await ai[Symbol.asyncDispose]()
})

const fresh = `/** Not committed. */
export function fresh(n: number) {
  if (n > 9) return 'many'
  if (n > 5) return 'some'
  if (n > 1) return 'few'
  return n < 0 ? 'debt' : 'none'
}
`

async function setUp(url: string, repository: GitRepository) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user, repository: url })
  const client = app.client(token)
  return { token, projectId, client, send: () => sendTree(app, token, projectId, repository) }
}

const symbolsOf = (result: { testCandidates?: { symbol: string }[] | undefined }) =>
  result.testCandidates?.map(({ symbol }) => symbol)

test('analyzes a working tree of a server’s repository, and suggests and writes tests for it', async () => {
  await using repository = await createGitRepository(rankedFiles(2))
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await using host = await startGitHost({ app: repository.path })
  const { client, projectId, send, token } = await setUp(`${host.url}/app`, repository)
  const main = await client.analysis.analyzeRepository.mutate({ projectId })
  const base = await repository.git('rev-parse', 'HEAD')
  expect(await client.snapshots.findBase.mutate({ projectId, commits: ['a'.repeat(40), base] })).toMatchObject({
    baseSha: base,
  })

  await repository.write({ 'src/fresh.ts': fresh })
  const snapshot = await send()
  const { id: snapshotId } = snapshot
  const analyzed = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId })
  expect(analyzed.commitSha).toBe(snapshot.commitSha)
  expect(symbolsOf(analyzed)).toContain('fresh')
  expect(symbolsOf(main)).not.toContain('fresh')
  const part = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId, paths: ['src/fresh.ts'] })
  expect(symbolsOf(part)).toEqual(['fresh'])
  const changed = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId, since: 'HEAD' })
  expect(symbolsOf(changed)).toEqual(['fresh'])

  const found = await client.analysis.suggestTests.mutate({ projectId, snapshotId, maxSuggestions: 5 })
  expect(found.commitSha).toBe(snapshot.commitSha)
  expect(found.suggestions.map(({ file_path }) => file_path)).toContain('src/fresh.ts')
  const asked = JSON.stringify(ai.asked.at(-1))
  expect(asked).toContain('Not committed.')
  // Other members do not have this code, and no page shows its suggestions.
  expect(found.url).toBeUndefined()
  expect((await client.suggestions.list.query({ projectId })).suggestions).toEqual([])
  const target = { path: 'src/fresh.ts', symbol: 'fresh' }
  const { tests } = await client.analysis.generateTests.mutate({ projectId, snapshotId, target })
  expect(tests).toMatchObject([{ snapshotId, commitSha: snapshot.commitSha, target }])

  // Without a snapshot, everything is about the repository as before.
  expect(await client.projects.getLatestProjectAnalysis.query({ projectId })).toMatchObject({
    commitSha: main.commitSha,
    snapshotId: null,
  })
  const without = await client.analysis.generateTests.mutate({ projectId, target }).catch(coreFailure)
  expect(without).toMatchObject({ message: expect.stringContaining('is not a file of the analyzed commit') })
  expect((await client.analysis.suggestTests.mutate({ projectId })).commitSha).toBe(main.commitSha)
  const analyses = await client.projects.getProjectAnalyses.query({ projectId })
  expect(analyses.map(({ snapshotId, branch }) => [snapshotId, branch])).toEqual([
    [snapshotId, null],
    [null, 'main'],
  ])
  const ofRepository = await client.projects.getProjectAnalyses.query({ projectId, snapshotId: null })
  expect(ofRepository.map(({ snapshotId }) => snapshotId)).toEqual([null])
  const [event] = await app.dataSource.query<{ data: object }[]>(
    `SELECT envelope::jsonb -> 'data' AS data FROM events WHERE project_id = $1 AND type = 'analysis.completed'
      ORDER BY id DESC LIMIT 1`,
    [projectId],
  )
  expect(event?.data).toMatchObject({ snapshotId, commitSha: snapshot.commitSha, branch: null })
  const response = await app.fetch(`/api/v1/projects/${projectId}/analyze`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ snapshotId, paths: ['src'] }),
  })
  expect([response.status, ((await response.json()) as { commitSha: string }).commitSha]).toEqual([
    200,
    snapshot.commitSha,
  ])
})

test('analyzes a working tree before the project has an analysis, and one without a base', async () => {
  await using repository = await createGitRepository(rankedFiles(1))
  const { client, projectId, send, token } = await setUp(repository.path, repository)
  await repository.write({ 'src/fresh.ts': fresh })
  const { id: snapshotId, commitSha } = await send()
  const found = await client.analysis.suggestTests.mutate({ projectId, snapshotId })
  expect(found.commitSha).toBe(commitSha)
  const latest = await client.projects.getLatestProjectAnalysis.query({ projectId }).catch(coreFailure)
  expect(latest).toMatchObject({ message: expect.stringContaining('has no completed analysis') })
  const [analysis] = await client.projects.getProjectAnalyses.query({ projectId })
  expect(analysis).toMatchObject({ snapshotId })
  // What a snapshot is written in says nothing about the project.
  expect(await client.projects.getProject.query({ projectId })).toMatchObject({ language: null, framework: null })

  const sent = await sendPack(app, token, projectId, await packTree(repository, { whole: true }))
  const whole = (await sent.json()) as Snapshot
  expect(whole).toMatchObject({ baseSha: null })
  const analyzed = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId: whole.id })
  expect(symbolsOf(analyzed)).toContain('fresh')
})

test('ranks a working tree by the coverage of the commit that it changes, also if it is measured later', async () => {
  await using repository = await createGitRepository(rankedFiles(2))
  const { client, projectId, send, token } = await setUp(repository.path, repository)
  await client.analysis.analyzeRepository.mutate({ projectId })
  await repository.write({ 'src/fresh.ts': fresh })
  const { id: snapshotId, commitSha } = await send()
  const suggest = () => client.analysis.suggestTests.mutate({ projectId, snapshotId })
  expect((await suggest()).coverage).toBeNull()

  const base = await repository.git('rev-parse', 'HEAD')
  const body = new FormData()
  body.set('branch', 'main')
  body.set('commitSha', base)
  body.append(
    'coverage',
    new Blob(['SF:src/f1.ts\nDA:2,1\nDA:3,1\nDA:4,0\nDA:5,0\nDA:6,0\nend_of_record\n']),
    'lcov.info',
  )
  body.append('reports', new Blob(['<testsuite><testcase name="a"/></testsuite>']), 'junit.xml')
  expect((await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body, token })).status).toBe(201)

  expect((await suggest()).coverage).toMatchObject({ commitSha: base, behind: 1 })
  const analyzed = await client.analysis.analyzeRepository.mutate({ projectId, snapshotId })
  expect(analyzed.summary.coverage).toMatchObject({ commitSha: base, behind: 1 })
  expect(analyzed.testCandidates?.find(({ symbol }) => symbol === 'f1')?.coverageSource).toBe('measured')
  for (const call of [client.analysis.analyzeRepository, client.analysis.suggestTests]) {
    expect(await call.mutate({ projectId, snapshotId, measure: true }).catch(coreFailure)).toMatchObject({
      message: expect.stringContaining('measure: cannot be combined with snapshotId'),
    })
  }
  // A run of the snapshot counts for the snapshot.
  const now = new Date()
  const state = { projectId, snapshotId, commitSha, branch: null }
  const run = await createRunFor(app, { ...state, status: 'COMPLETED', coverage: 50, completedAt: now })
  await app.dataSource.query(
    `INSERT INTO test_run_coverage (run_id, path, covered_lines, uncovered_lines, lines_covered, lines_total)
     VALUES ($1, 'src/fresh.ts', '2-3', '4-7', 2, 6)`,
    [run.id],
  )
  expect((await suggest()).coverage).toMatchObject({ commitSha, behind: 0 })
  const ofRepository = await client.analysis.suggestTests.mutate({ projectId })
  expect([ofRepository.commitSha, ofRepository.coverage]).toEqual([base, expect.objectContaining({ commitSha: base })])

  const sent = { ...analyzed, measurement: undefined }
  const both = client.analysis.suggestTests.mutate({ projectId, snapshotId, analysisOverride: sent })
  expect(await both.catch(coreFailure)).toMatchObject({
    message: expect.stringContaining('snapshotId: cannot be combined with analysisOverride'),
  })
})
