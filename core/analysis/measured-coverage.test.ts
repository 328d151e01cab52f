import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGitHost } from '../../engines/source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { loadCommitCoverage } from '../coverage/measured.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const price = [
  'export function price(count: number, member: boolean) {',
  '  if (count <= 0) throw new Error("nothing")',
  '  if (count > 100 && member) return count * 0.8',
  '  return member ? count * 0.9 : count',
  '}',
]
const tax = [
  'export function tax(amount: number, country: string) {',
  '  if (country === "CH") return amount * 0.08',
  '  return amount * 0.2',
  '}',
]
const shop = { 'package.json': '{"name":"shop"}', 'src/price.ts': text(price), 'src/tax.ts': text(tax) }

/** LCOV of files: which of their lines ran, and which did not. */
const lcov = (
  files: Record<string, { ran: number[]; not: number[]; branches?: [line: number, taken: number, total: number][] }>,
) =>
  Object.entries(files)
    .map(([path, { ran, not, branches = [] }]) => {
      const lines = [...ran.map((line) => `DA:${line},1`), ...not.map((line) => `DA:${line},0`)]
      const taken = branches.flatMap(([line, count, total]) =>
        Array.from({ length: total }, (_, index) => `BRDA:${line},0,${index},${index < count ? 1 : 0}`),
      )
      return [`SF:${path}`, ...taken, ...lines, 'end_of_record', ''].join('\n')
    })
    .join('')

async function setUp(repository: string) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user, repository })
  const client = app.client(token)
  const latest = () => client.projects.getLatestProjectAnalysis.query({ projectId })
  return {
    user,
    projectId,
    client,
    latest,
    analyze: () => client.analysis.analyzeRepository.mutate({ projectId }),
    upload: async (commitSha: string, report: string, key = 'unit') => {
      const body = new FormData()
      body.set('branch', 'main')
      body.set('commitSha', commitSha)
      body.set('name', key)
      body.append('coverage', new Blob([report]), 'lcov.info')
      body.append('reports', new Blob(['<testsuite><testcase name="a"/></testsuite>']), 'junit.xml')
      const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body, token })
      expect(response.status, await response.text()).toBe(201)
    },
    /** Waits until the ranking takes all coverage into account. */
    ranked: async () => {
      await expect.poll(async () => (await latest()).ranking).toBe('current')
      return latest()
    },
  }
}

const headOf = (repository: GitRepository) => repository.git('rev-parse', 'HEAD')

test('coverage of an upload decides the ranking of the analysis that is there, and the gaps that it shows are named', async () => {
  await using repository = await createGitRepository(shop)
  const { analyze, upload, ranked, latest } = await setUp(repository.path)
  const before = await analyze()
  expect(before.testCandidates?.map(({ coverageSource }) => coverageSource)).toEqual(['estimated', 'estimated'])
  expect(before.summary.coverage).toBeNull()
  expect(await latest()).toMatchObject({ coverage: null, ranking: 'current' })

  const commitSha = await headOf(repository)
  await upload(
    commitSha,
    lcov({
      'src/price.ts': { ran: [1, 2, 4], not: [3], branches: [[4, 1, 2]] },
      'src/tax.ts': { ran: [1, 2, 3], not: [] },
    }),
  )
  const { result, coverage, testCandidates } = await ranked()
  expect(coverage).toEqual({ commitSha, behind: 0, measuredFiles: 2, changedFiles: 0, goneFiles: 0 })
  expect(result?.summary.coverage).toEqual(coverage)
  expect(testCandidates, 'all of tax runs').toBe(1)
  expect(result?.testCandidates).toMatchObject([
    {
      symbol: 'price',
      coverageSource: 'measured',
      coverageCommit: commitSha,
      coverageBehind: 0,
      uncovered: [{ startLine: 3, endLine: 3 }],
      partialBranches: [{ line: 4, taken: 1, total: 2 }],
      reasons: expect.arrayContaining(['tests run 2 of its 3 lines, not line 3']),
    },
  ])

  // A second upload of the same commit, as by another part of CI, covers the rest.
  await upload(commitSha, lcov({ 'src/price.ts': { ran: [1, 3], not: [2, 4], branches: [[4, 2, 2]] } }), 'e2e')
  await expect.poll(async () => (await latest()).testCandidates).toBe(0)
})

test('coverage of an earlier commit follows its lines through changes and renames', async () => {
  await using repository = await createGitRepository(shop)
  await using host = await startGitHost({ app: repository.path })
  const { analyze, upload, latest, projectId } = await setUp(`${host.url}/app`)
  const measuredAt = await headOf(repository)
  await upload(
    measuredAt,
    lcov({
      'src/price.ts': { ran: [1, 2, 4], not: [3] },
      'src/tax.ts': { ran: [1, 2], not: [3] },
      'src/gone.ts': { ran: [1], not: [] },
    }),
  )
  for (let day = 0; day < 3; day++) await repository.commit({ 'notes.md': `day ${day}\n` })
  await repository.git('mv', 'src/price.ts', 'src/cost.ts')
  await repository.commit({
    'src/cost.ts': text(['// Prices are in cents.', '', ...price]),
    'src/tax.ts': text([...tax.slice(0, 1), '  if (country === "DE") return amount * 0.19', ...tax.slice(1)]),
  })

  const result = await analyze()
  expect(result.summary.coverage).toEqual({
    commitSha: measuredAt,
    behind: 4,
    measuredFiles: 2,
    changedFiles: 2,
    goneFiles: 1,
  })
  const cost = result.testCandidates?.find(({ path }) => path === 'src/cost.ts')
  expect(cost).toMatchObject({
    coverageCommit: measuredAt,
    coverageBehind: 4,
    uncovered: [{ startLine: 5, endLine: 5 }],
    reasons: expect.arrayContaining([`coverage measured 4 commits earlier, at ${measuredAt.slice(0, 7)}`]),
  })
  const changed = result.testCandidates?.find(({ path }) => path === 'src/tax.ts')
  expect(changed).toMatchObject({
    uncovered: [{ startLine: 4, endLine: 4 }],
    changed: [{ startLine: 2, endLine: 2 }],
    reasons: expect.arrayContaining(['line 2 changed since the coverage was measured']),
  })

  // Coverage of the commit itself counts more, also when nothing of the commit is kept any more.
  await rm(cacheDirectory(app.config, projectId), { recursive: true })
  await upload(await headOf(repository), lcov({ 'src/cost.ts': { ran: [3, 4, 5, 6], not: [] } }))
  await expect
    .poll(async () => (await latest()).coverage)
    .toMatchObject({
      behind: 0,
      measuredFiles: 2,
      changedFiles: 1,
      goneFiles: 1,
      earlier: [{ commitSha: measuredAt, behind: 4, measuredFiles: 1 }],
    })
  const ranked = await latest()
  expect(ranked.result?.testCandidates, 'a partial upload leaves the other files as they were known').toMatchObject([
    { path: 'src/tax.ts', coverageSource: 'measured', coverageCommit: measuredAt, coverageBehind: 4 },
  ])
})

test('a profile of Go counts for the files of the repository, uploaded before its analysis or after', async () => {
  const route = 'package mux\n\nfunc Route(n int) int {\n\tif n > 1 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n'
  await using repository = await createGitRepository({
    'go.mod': 'module example.org/mux\n',
    'mux.go': route,
    'deep/deep.go': route.replace('package mux', 'package deep'),
  })
  const block = (path: string) => `example.org/mux/${path}:3.23,4.11 1 1\nexample.org/mux/${path}:4.11,6.3 1 0\n`
  const profile = `mode: set\n${block('mux.go')}${block('deep/deep.go')}${block('gone.go')}`
  const isBefore = await setUp(repository.path)
  const commitSha = await headOf(repository)
  await isBefore.upload(commitSha, profile)
  const isAfter = await setUp(repository.path)
  await isAfter.analyze()
  await isAfter.upload(commitSha, profile)
  for (const { result, coverage } of [
    { result: await isBefore.analyze(), coverage: (await isBefore.ranked()).coverage },
    await isAfter.ranked(),
  ]) {
    expect(coverage).toMatchObject({ behind: 0, measuredFiles: 2, goneFiles: 1 })
    const uncovered = [{ startLine: 5, endLine: 6 }]
    expect(result?.testCandidates).toMatchObject([
      { path: 'deep/deep.go', coverageSource: 'measured', uncovered },
      { path: 'mux.go', coverageSource: 'measured', uncovered },
    ])
  }
  const { runs } = await isAfter.client.testRuns.list.query({ projectId: isAfter.projectId })
  const { files } = await isAfter.client.testRuns.coverage.query({ runId: runs[0]?.id ?? '' })
  expect(files.map(({ path }) => path).toSorted()).toEqual(['deep/deep.go', 'gone.go', 'mux.go'])
})

test('a client gets the coverage of a commit, each file once if runs measured the same, and learns what is missing', async () => {
  await using repository = await createGitRepository(shop)
  const { upload, client, projectId, user } = await setUp(repository.path)
  const commitSha = await headOf(repository)
  const price = { ran: [1, 2, 4], not: [3] }
  for (const key of ['first', 'second', 'third']) {
    await upload(commitSha, lcov({ 'src/price.ts': price, 'src/tax.ts': { ran: [1], not: [2, 3] } }), key)
  }
  await upload(commitSha, lcov({ 'src/tax.ts': { ran: [1, 2], not: [3] } }), 'more')
  const measured = await client.analysis.getMeasuredCoverage.query({ projectId, commitSha })
  expect(measured).toEqual({
    commits: [commitSha],
    files: [
      ['src/price.ts', '1-2,4', '3', null],
      ['src/tax.ts', '1', '2-3', null],
      ['src/tax.ts', '1-2', '3', null],
    ],
    isWhole: true,
  })
  const db = app.dataSource.manager
  expect(await loadCommitCoverage({ db }, projectId, commitSha, { maximum: 60 })).toEqual({
    files: measured.files.slice(0, 1),
    isWhole: false,
  })
  const token = await createTokenFor(app, { user, scopes: ['projects:read'] })
  await expect(app.client(token).analysis.getMeasuredCoverage.query({ projectId })).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
  })
})

test('coverage of another branch and of a commit that nobody knows does not count', async () => {
  await using repository = await createGitRepository(shop)
  const { analyze, upload, ranked } = await setUp(repository.path)
  await analyze()
  await repository.git('switch', '--quiet', '--create', 'other')
  const elsewhere = await repository.commit({ 'src/price.ts': text(price.slice(0, 3)) })
  await repository.git('switch', '--quiet', 'main')
  await upload(elsewhere, lcov({ 'src/price.ts': { ran: [1, 2, 3], not: [] } }))
  await upload('f'.repeat(40), lcov({ 'src/tax.ts': { ran: [1, 2, 3], not: [] } }))
  const { coverage, testCandidates } = await ranked()
  expect([coverage, testCandidates]).toEqual([null, 2])
})
