import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../base/ids.ts'
import { sendTree } from '../snapshots/testing.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { createMeasuringRunFor } from './testing.ts'

let app: TestApp
let repository: GitRepository
let commits: { first: string; second: string; third: string }
const source = 'export function a(n) {\n  if (n > 1) return n\n  return 2\n}\n'
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
  repository = await createGitRepository()
  const first = await repository.commit({
    'src/a.js': source,
    'src/b.js': 'b()\n',
    'long.txt': Array.from({ length: 1_200 }, (_, index) => `line ${index + 1}\n`).join(''),
    'image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
    'docs/%_\\x.md': '# x\n',
    link: { linkTo: 'src/a.js' },
  })
  const second = await repository.commit({ 'src/b.js': 'b(1)\n' })
  const third = await repository.commit({ 'src/a.js': `${source}a(1)\n` })
  commits = { first, second, third }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

async function createScene() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  const token = await createTokenFor(app, { user })
  return { user, projectId, token, client: app.client(token) }
}

const problem = (call: Promise<unknown>) =>
  call.then(
    () => 'no problem',
    (error: Error & { data?: { httpStatus?: number } }) => `${error.data?.httpStatus} ${error.message}`,
  )

const analysisOf = (commitSha: string) => ({
  commitSha,
  summary: { totalFiles: 2, languages: {}, frameworks: [], hasTests: true, testFrameworks: [], historyCommits: 3 },
  files: [],
  directories: [],
  packageInfo: { name: 'x' },
  testCandidates: [
    { path: 'src/b.js', symbol: 'b', kind: 'function', startLine: 1, endLine: 1, score: 9 },
    {
      path: 'src/a.js',
      symbol: 'a',
      kind: 'function',
      startLine: 1,
      endLine: 4,
      score: 5,
      cases: [{ id: 'c1', line: 2, condition: 'n > 1', outcome: 'early_return', covered: false }],
    },
  ].map((one) => ({ complexity: 2, churn: 2, fanIn: 0, hasTest: true, reasons: ['not tested'], ...one })),
})

async function createAnalysis(projectId: string, commitSha: string) {
  const id = newId(new Date())
  await app.dataSource.query(
    `INSERT INTO analyses (id, project_id, status, branch, commit_sha, result, created_at)
     VALUES ($1, $2, 'completed', 'main', $3, $4, now())`,
    [id, projectId, commitSha, JSON.stringify(analysisOf(commitSha))],
  )
  return id
}

test('shows the lines of a file page by page, as tokens', async () => {
  const { client, projectId } = await createScene()
  const { first: commitSha } = commits
  const { lines, ...shown } = await client.code.getLines.query({ projectId, path: 'src/a.js', commitSha })
  expect(shown).toEqual({
    path: 'src/a.js',
    commitSha,
    snapshotId: null,
    language: 'JavaScript',
    isHighlighted: true,
    from: 1,
    totalLines: 4,
    truncatedLines: [],
  })
  expect(lines[0]?.slice(0, 5)).toEqual([
    ['export', 'keyword'],
    [' ', null],
    ['function', 'keyword'],
    [' ', null],
    ['a', 'title.function'],
  ])
  expect(lines.map((line) => line.map(([text]) => text).join(''))).toEqual(source.trimEnd().split('\n'))
  const page = await client.code.getLines.query({ projectId, path: 'long.txt', commitSha, from: 499, limit: 600 })
  expect([page.totalLines, page.lines.length, page.lines[0], page.lines[599]]).toEqual([
    1_200,
    600,
    [['line 499', null]],
    [['line 1098', null]],
  ])
  expect(
    (await client.code.getLines.query({ projectId, path: 'long.txt', commitSha, from: 1_200 })).lines,
  ).toHaveLength(1)
  expect((await client.code.getLines.query({ projectId, path: 'long.txt', commitSha, from: 5_000 })).lines).toEqual([])
})

test('says why a path has no lines', async () => {
  const { client, projectId } = await createScene()
  const lines = (path: string, commitSha = commits.first) =>
    problem(client.code.getLines.query({ projectId, path, commitSha }))
  expect(await lines('image.png')).toBe('400 path: is a binary file, which has no lines to show.')
  expect(await lines('src')).toBe('400 path: is a folder. Give the path of a file in it.')
  expect(await lines('link')).toContain('400 path: is a symbolic link.')
  expect(await lines('src/none.js')).toBe('404 No such file. The commit has no src/none.js.')
  expect(await lines('src/a.js', 'f'.repeat(40))).toContain('404 No such commit.')
  for (const path of ['../x', '/etc/passwd', 'a//b', '', '.', 'a\0b', 'src/'])
    expect(await lines(path)).toContain('400 path: ')
  for (const path of [':(glob)**', '-h', '--help', '%', "x'; DROP TABLE users", '\u202e'])
    expect(await lines(path)).toContain('404 No such file')
  expect(await problem(client.code.getLines.query({ projectId, path: 'a' }))).toContain(
    '400 input: give either commitSha or snapshotId',
  )
  expect(
    await client.code.getLines.query({ projectId, path: 'docs/%_\\x.md', commitSha: commits.first }),
  ).toMatchObject({ totalLines: 1 })
})

test('shows the coverage of the latest run of the branch, with its symbols, survivors and runs', async () => {
  const { client, projectId } = await createScene()
  const measured = {
    covered_lines: '1-2',
    uncovered_lines: '3',
    lines_covered: 2,
    lines_total: 3,
    partial_branches: '2:1/2',
    branches_covered: 1,
    branches_total: 2,
  }
  const run = await createMeasuringRunFor(app, { projectId, commitSha: commits.first }, 'src/a.js', measured)
  await createMeasuringRunFor(app, { projectId, commitSha: commits.third, branch: 'other' }, 'src/a.js')
  const analysisId = await createAnalysis(projectId, commits.second)
  const contentId = await repository.git('rev-parse', `${commits.first}:src/a.js`)
  await app.dataSource.query(
    `INSERT INTO file_strength (project_id, snapshot_id, path, content_id, commit_sha, tried, reached, lines, survivors, reached_by, measured_at)
     VALUES ($1, '', 'src/a.js', $2, $3, 3, 4, '[[2,3,1]]', '[[2,">",">="]]', '[[2,2,[["test/a.test.js","a of 2"]]]]', now())`,
    [projectId, contentId, commits.second],
  )
  const file = await client.code.getFile.query({ projectId, path: 'src/a.js' })
  const runs = [
    { runId: run.id, createdAt: run.createdAt.toISOString(), commitSha: commits.first, branch: 'main', isWhole: true },
  ]
  expect(file).toMatchObject({
    commitSha: commits.first,
    language: 'JavaScript',
    bytes: source.length,
    totalLines: 4,
    tooLarge: false,
    coverage: {
      ...runs[0],
      covered: '1-2',
      uncovered: '3',
      branches: [{ line: 2, taken: 1, total: 2 }],
      lines: { covered: 2, total: 3 },
      branchShare: { covered: 1, total: 2 },
      functions: null,
    },
    coverageReason: null,
    runs,
    // The file is the same at the analyzed commit.
    analysis: { analysisId, commitSha: commits.second },
    symbols: [
      {
        name: 'a',
        rank: 2,
        startLine: 1,
        endLine: 4,
        complexity: 2,
        cases: [{ line: 2, condition: 'n > 1', covered: false }],
      },
    ],
    strength: { tried: 3, noticed: 2, reached: 4, lines: [{ line: 2, tried: 3, survived: 1 }] },
    survivors: [{ line: 2, before: '>', after: '>=', advice: null, measurementId: null }],
    reachedBy: [{ line: 2, tests: 2, nearest: [{ path: 'test/a.test.js', name: 'a of 2' }] }],
    reachedByReason: null,
    churn: { changes: 2, commits: 3 },
  })
})

test('shows the coverage of all tests of the branch, not of a later rerun or another branch', async () => {
  const { client, projectId } = await createScene()
  const measure = (fields: Parameters<typeof createMeasuringRunFor>[1]) =>
    createMeasuringRunFor(app, { projectId, commitSha: commits.first, ...fields }, 'src/a.js')
  const whole = await measure({})
  const partial = await measure({ selection: { paths: ['a.test.js'], tests: [] } })
  const other = await measure({ branch: 'other' })
  const later = await measure({ commitSha: commits.third, selection: { paths: ['a.test.js'], tests: [] } })
  const shown = await client.code.getFile.query({ projectId, path: 'src/a.js' })
  expect(shown).toMatchObject({ commitSha: commits.first, coverage: { runId: whole.id, isWhole: true } })
  expect(shown.runs.map(({ runId, branch, isWhole }) => [runId, branch, isWhole])).toEqual([
    [other.id, 'other', true],
    [partial.id, 'main', false],
    [whole.id, 'main', true],
  ])
  const ofCommit = await client.code.getFile.query({ projectId, path: 'src/a.js', commitSha: commits.first })
  expect(ofCommit.coverage?.runId).toBe(whole.id)
  // What only a rerun measured is better than nothing.
  const onlyPartial = await client.code.getFile.query({ projectId, path: 'src/a.js', commitSha: commits.third })
  expect(onlyPartial.coverage).toMatchObject({ runId: later.id, isWhole: false })
})

test('never shows marks on content that they were not found on', async () => {
  const { client, projectId } = await createScene()
  const run = await createMeasuringRunFor(app, { projectId, commitSha: commits.first }, 'src/a.js')
  await createAnalysis(projectId, commits.first)
  // The second commit did not change the file; the third one did.
  const same = await client.code.getFile.query({ projectId, path: 'src/a.js', commitSha: commits.second })
  expect(same.coverage).toMatchObject({ runId: run.id, commitSha: commits.first, covered: '1' })
  expect(same.symbols).toHaveLength(1)
  const changed = await client.code.getFile.query({ projectId, path: 'src/a.js', commitSha: commits.third })
  expect(changed).toMatchObject({ coverage: null, symbols: [], survivors: [], strength: null, analysis: null })
  expect(changed.coverageReason).toContain('No run has measured this content')
  // The caller can switch to the run, and then sees the content that it measured.
  expect(changed.runs).toEqual([expect.objectContaining({ runId: run.id, commitSha: commits.first })])
  const switched = await client.code.getFile.query({ projectId, path: 'src/a.js', runId: run.id })
  expect(switched).toMatchObject({ commitSha: commits.first, totalLines: 4, coverage: { runId: run.id } })
  const other = await client.code.getFile.query({ projectId, path: 'src/b.js', runId: run.id })
  expect(other).toMatchObject({ coverage: null, coverageReason: 'The run did not measure the coverage of this file.' })
})

test('without a run, shows the file at the latest analysis, or at the latest commit of the branch', async () => {
  const { client, projectId } = await createScene()
  const bare = await client.code.getFile.query({ projectId, path: 'image.png' })
  expect(bare).toMatchObject({ commitSha: commits.third, language: 'Binary', totalLines: null, bytes: 7, runs: [] })
  await createAnalysis(projectId, commits.first)
  expect((await client.code.getFile.query({ projectId, path: 'src/a.js' })).commitSha).toBe(commits.first)
  expect(await problem(client.code.getFile.query({ projectId, path: 'src/a.js', branch: 'none' }))).toContain(
    '409 Assay cannot find the latest commit of "none".',
  )
  expect(
    await problem(client.code.getFile.query({ projectId, path: 'a', branch: 'main', commitSha: commits.first })),
  ).toContain('400 input: give only one of')
})

test('shows the files of a snapshot', async () => {
  const { client, projectId, token } = await createScene()
  await repository.write({ 'src/a.js': 'changed()\n' })
  const { id: snapshotId } = await sendTree(app, token, projectId, repository)
  await repository.git('checkout', '--', '.')
  const lines = await client.code.getLines.query({ projectId, path: 'src/a.js', snapshotId })
  expect(lines).toMatchObject({ snapshotId, totalLines: 1 })
  // A file that the snapshot has in common with its base.
  expect(await client.code.getFile.query({ projectId, path: 'src/b.js', snapshotId })).toMatchObject({
    snapshotId,
    totalLines: 1,
  })
  const listed = await client.code.listFiles.query({ projectId, snapshotId, folder: 'src' })
  expect(listed.entries.map(({ path }) => path)).toEqual(['src/a.js', 'src/b.js'])
  // A commit of a snapshot is not a commit of the repository.
  const { commitSha } = lines
  expect(await problem(client.code.getLines.query({ projectId, path: 'src/a.js', commitSha }))).toContain(
    '404 No such commit',
  )
})

test('lists folders and finds files by a part of their path', async () => {
  const { client, projectId } = await createScene()
  const { first: commitSha } = commits
  const names = async (input: object) =>
    (await client.code.listFiles.query({ projectId, commitSha, ...input })).entries.map(
      ({ path, kind }) => `${kind} ${path}`,
    )
  expect(await names({})).toEqual(['folder docs', 'folder src', 'file image.png', 'symlink link', 'file long.txt'])
  expect(await names({ folder: 'src', offset: 1, limit: 5 })).toEqual(['file src/b.js'])
  expect(await names({ search: 'A.J' })).toEqual(['file src/a.js'])
  expect(await names({ search: 'src' })).toEqual(['file src/a.js', 'file src/b.js'])
  expect(await names({ search: '%_\\' })).toEqual(['file docs/%_\\x.md'])
  expect(await names({ search: '.*' })).toEqual([])
  expect(await problem(client.code.listFiles.query({ projectId, commitSha, folder: 'none' }))).toContain(
    '404 No such folder.',
  )
})

test('other users, runs of other projects and tokens without the scope see nothing', async () => {
  const { user, projectId } = await createScene()
  const input = { projectId, path: 'src/a.js', commitSha: commits.first }
  const stranger = app.client(await createTokenFor(app))
  const calls = [
    stranger.code.getLines.query(input),
    stranger.code.getFile.query(input),
    stranger.code.listFiles.query({ projectId }),
  ]
  for (const message of await Promise.all(calls.map(problem))) expect(message).toContain('404 No such project.')
  const client = app.client(await createTokenFor(app, { user }))
  const run = await createMeasuringRunFor(app, { commitSha: commits.first }, 'src/a.js')
  expect(await problem(client.code.getFile.query({ projectId, path: 'src/a.js', runId: run.id }))).toContain(
    '404 No such test run.',
  )
  const own = await createProjectFor(app, { user, repository: repository.path })
  const ofOwn = await createMeasuringRunFor(app, { projectId: own.id, commitSha: commits.first }, 'src/a.js')
  expect(await problem(client.code.getFile.query({ projectId, path: 'src/a.js', runId: ofOwn.id }))).toContain(
    '404 No such test run.',
  )
  const lacking = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  expect(await problem(lacking.code.getLines.query(input))).toContain('403 This call requires the scope tests:read')
})
