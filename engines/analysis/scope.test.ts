import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommit } from '../source/commit.ts'
import { startGitHost } from '../source/testing/git-host.ts'
import { createGitRepository, type GitRepository } from '../source/testing/git-repository.ts'
import { RepositoryError } from '../source/types.ts'
import { openWorkingTree } from '../source/working-tree.ts'
import { analyze } from './analyze.ts'
import { AnalysisResult, AnalysisScope } from './schema.ts'
import { changedCasesFirst } from './scope.ts'
import { type AnalyzeOptions, defaultLimits } from './types.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'assay-scope-'))))
afterAll(() => rm(folder, { recursive: true }))

const signal = new AbortController().signal
const branchy = (name: string, branches = 3) =>
  [
    `export function ${name}(n) {`,
    ...Array.from({ length: branches }, (_, at) => `  if (n > ${at}) return ${at}`),
    '  return -1',
    '}',
    '',
  ].join('\n')
const queue = ['export class Queue {', '  add(n) {', '    if (n) return 1', '    return 2', '  }', '}', ''].join('\n')

let clones = 0

async function analyzeCommit(url: string, scope: AnalysisScope, options: Partial<AnalyzeOptions> = {}, ref = {}) {
  await using snapshot = await openCommit({
    url,
    directory: join(folder, `clone-${clones++}`),
    ref,
    allowLocal: true,
    allowCidrs: ['127.0.0.0/8'],
    limits: defaultLimits,
    signal,
  })
  const result = await analyze(snapshot, { scope, ...options })
  expect(AnalysisResult.parse(result)).toEqual(result)
  return result
}

async function analyzeTree(repository: GitRepository, scope: AnalysisScope) {
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  return await analyze(snapshot, { scope })
}

const placesOf = ({ testCandidates = [] }: AnalysisResult) =>
  testCandidates.map(({ path, symbol }) => `${path} ${symbol}`).toSorted()

const refusalOf = async (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => (error instanceof RepositoryError ? [error.code, error.message] : expect.fail(String(error))),
  )

test('a small folder of a large repository has its full list', async () => {
  await using repository = await createGitRepository({
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`lib/f${at}.js`, branchy(`f${at}`, 9)])),
    'small/a.js': branchy('a'),
    'small/deep/b.js': branchy('b'),
    'smaller/c.js': branchy('c'),
  })
  const limits = { maxCandidates: 10 }
  const all = await analyzeCommit(repository.path, {}, { limits })
  expect(placesOf(all).filter((place) => place.startsWith('small'))).toEqual([])
  const scoped = await analyzeCommit(repository.path, { paths: ['./small/'] }, { limits })
  expect(placesOf(scoped)).toEqual(['small/a.js a', 'small/deep/b.js b'])
  expect(scoped.summary).toMatchObject({ candidateCount: 2, scope: { paths: ['./small/'], files: 2 }, totalFiles: 33 })
  expect(placesOf(await analyzeCommit(repository.path, { paths: ['small/a.js', 'smaller'] }))).toEqual([
    'small/a.js a',
    'smaller/c.js c',
  ])
  expect(placesOf(await analyzeCommit(repository.path, { paths: ['small*/*.js'] }))).toEqual([
    'small/a.js a',
    'smaller/c.js c',
  ])
})

test('a file whose name reads as a glob is that file', async () => {
  await using repository = await createGitRepository({
    'pages/[id].js': branchy('page'),
    'pages/i.js': branchy('other'),
  })
  expect(placesOf(await analyzeCommit(repository.path, { paths: ['pages/[id].js'] }))).toEqual(['pages/[id].js page'])
})

test('symbols are named in whole or in part', async () => {
  await using repository = await createGitRepository({ 'q.js': queue, 'add.js': branchy('add'), 'x.js': branchy('x') })
  const of = async (...symbols: string[]) => placesOf(await analyzeCommit(repository.path, { symbols }))
  expect(await of('Queue.add')).toEqual(['q.js Queue.add'])
  expect(await of('Queue')).toEqual(['q.js Queue.add'])
  expect(await of('add', 'x')).toEqual(['add.js add', 'q.js Queue.add', 'x.js x'])
  expect(placesOf(await analyzeCommit(repository.path, { symbols: ['add'], paths: ['q.js'] }))).toEqual([
    'q.js Queue.add',
  ])
})

test('names that do not exist are refused with the nearest ones', async () => {
  await using repository = await createGitRepository({ 'src/queue.js': queue, 'src/x.js': branchy('parseAll') })
  const refusal = (scope: AnalysisScope) => refusalOf(analyzeCommit(repository.path, scope))
  expect(await refusal({ paths: ['src/queu.js', 'src'] })).toEqual([
    'scope_not_found',
    'paths: the repository has no file or folder "src/queu.js". The nearest names are: src/queue.js.',
  ])
  expect(await refusal({ paths: ['lib/x.js'] })).toEqual([
    'scope_not_found',
    'paths: the repository has no file or folder "lib/x.js". The nearest names are: src/x.js.',
  ])
  expect(await refusal({ symbols: ['Queue.ad'] })).toEqual([
    'scope_not_found',
    'symbols: the repository has no symbol "Queue.ad". The nearest names are: Queue.add.',
  ])
  expect(await refusal({ symbols: ['parseAll'], paths: ['src/queue.js'] })).toEqual([
    'scope_not_found',
    'symbols: the repository has no symbol "parseAll" in these paths. src/x.js has it.',
  ])
  await repository.git('tag', 'v1.2.0')
  expect(await refusal({ since: 'v1.2.1' })).toEqual([
    'reference_not_found',
    'since: the repository has no branch, tag or commit "v1.2.1". The nearest names are: v1.2.0.',
  ])
})

/** `main` has gone on since `feature` left it. */
async function withFeature() {
  const repository = await createGitRepository({
    'kept.js': branchy('kept'),
    'both.js': branchy('stays') + branchy('changes'),
    'cut.js': branchy('cut') + branchy('whole'),
    'old.js': branchy('moved'),
  })
  await repository.git('tag', 'start')
  await repository.git('switch', '--quiet', '--create', 'feature')
  await repository.commit({
    'both.js': branchy('stays') + branchy('changes').replace('n > 1', 'n > 1.5'),
    'cut.js': branchy('cut').replace('  if (n > 2) return 2\n', '') + branchy('whole'),
    'new.js': branchy('added'),
  })
  await repository.git('mv', 'old.js', 'moved.js')
  await repository.commit()
  await repository.git('switch', '--quiet', 'main')
  await repository.commit({ 'kept.js': branchy('kept', 5) })
  return repository
}

const changed = ['both.js changes', 'cut.js cut', 'new.js added']

test('since counts what the branch added or changed, not what the other one did meanwhile', async () => {
  await using repository = await withFeature()
  await using host = await startGitHost({ app: repository.path })
  const start = await repository.git('rev-parse', 'start')
  for (const url of [repository.path, `${host.url}/app`]) {
    for (const since of ['main', 'start', start, start.slice(0, 10), 'HEAD~2']) {
      const result = await analyzeCommit(url, { since }, {}, { branch: 'feature' })
      expect(placesOf(result), `${url} since ${since}`).toEqual(changed)
      expect(result.summary.scope).toEqual({ since, baseCommit: start, files: 3 })
    }
    const result = await analyzeCommit(url, { since: 'main' }, {}, { branch: 'feature' })
    expect(result.testCandidates?.map(({ symbol, changedSince }) => [symbol, changedSince]).toSorted()).toEqual([
      ['added', [{ startLine: 1, endLine: 6 }]],
      ['changes', [{ startLine: 9, endLine: 9 }]],
      ['cut', []],
    ])
    expect(result.testCandidates?.find(({ symbol }) => symbol === 'changes')?.reasons).toContain(
      'line 9 changed since main',
    )
    expect(placesOf(await analyzeCommit(url, { since: 'feature' }, {}, { branch: 'feature' }))).toEqual([])
    expect(await refusalOf(analyzeCommit(url, { since: 'mian' }, {}, { branch: 'feature' }))).toEqual([
      'reference_not_found',
      'since: the repository has no branch, tag or commit "mian". The nearest names are: main.',
    ])
    expect((await refusalOf(analyzeCommit(url, { since: 'e'.repeat(40) })))[0]).toBe('reference_not_found')
    expect(await refusalOf(analyzeCommit(url, { since: 'HEAD~99999' }))).toEqual([
      'reference_not_found',
      'since: "HEAD~99999" is before the first commit of the history. Use a later commit, such as HEAD~1.',
    ])
  }
})

test('since counts uncommitted and untracked work of a working tree', async () => {
  await using repository = await withFeature()
  await repository.git('switch', '--quiet', 'feature')
  await repository.write({
    'kept.js': branchy('kept').replace('n > 0', 'n > 0.5'),
    'draft.js': branchy('draft'),
    'staged.js': branchy('staged'),
    '.gitignore': 'ignored.js\n',
    'ignored.js': branchy('ignored'),
  })
  await repository.git('add', 'staged.js')
  const uncommitted = ['draft.js draft', 'kept.js kept', 'staged.js staged']
  expect(placesOf(await analyzeTree(repository, { since: 'HEAD' }))).toEqual(uncommitted)
  expect(placesOf(await analyzeTree(repository, { since: 'main' }))).toEqual([...changed, ...uncommitted].toSorted())
  expect(placesOf(await analyzeTree(repository, { since: 'main', paths: ['draft.js', 'new.js'] }))).toEqual([
    'draft.js draft',
    'new.js added',
  ])
  expect((await refusalOf(analyzeTree(repository, { since: 'mian' })))[1]).toContain('The nearest names are: main')
})

test('changed lines that no test runs come before other gaps of the change', async () => {
  await using repository = await createGitRepository({ 'a.js': branchy('hard', 30) + branchy('easy') })
  await repository.commit({ 'a.js': branchy('hard', 30).replace('return 0', 'return 0.5') + branchy('easy', 4) })
  const covered = [[2, 2]] as const
  const result = await analyzeCommit(
    repository.path,
    { since: 'HEAD~1' },
    {
      findCoverage: async () => ({
        commitSha: 'c'.repeat(40),
        behind: 0,
        changedFiles: 0,
        goneFiles: 0,
        files: new Map([
          [
            'a.js',
            {
              covered,
              uncovered: [
                [3, 32],
                [35, 39],
              ],
              partialBranches: null,
              changed: [],
            },
          ],
        ]),
      }),
    },
  )
  expect(result.testCandidates?.map(({ symbol }) => symbol)).toEqual(['easy', 'hard'])
})

test('cases of changed lines come first', () => {
  const caseAt = (line: number) => ({
    id: String(line),
    line,
    condition: 'x',
    outcome: 'throws' as const,
    covered: null,
  })
  const candidate = {
    path: 'a.js',
    symbol: 'a',
    kind: 'function' as const,
    startLine: 1,
    endLine: 9,
    complexity: 1,
    churn: 0,
    fanIn: 0,
    hasTest: false,
    score: 1,
    reasons: [],
  }
  const [found] = changedCasesFirst([
    { ...candidate, cases: [2, 4, 6, 8].map(caseAt), changedSince: [{ startLine: 6, endLine: 7 }] },
  ])
  expect(found?.cases?.map(({ line }) => line)).toEqual([6, 2, 4, 8])
  expect(changedCasesFirst([candidate])).toEqual([candidate])
})

test.each([
  ['absolute paths', { paths: ['/etc/passwd'] }],
  ['absolute paths of Windows', { paths: [String.raw`C:\x`] }],
  ['paths that lead out', { paths: ['src/../../x'] }],
  ['NUL characters', { paths: ['a\0b'] }],
  ['no path', { paths: [] }],
  ['too many paths', { paths: Array.from({ length: 51 }, (_, at) => `f${at}`) }],
  ['long paths', { paths: ['x'.repeat(1_001)] }],
  ['long globs', { paths: ['*'.repeat(300), '?'.repeat(300)] }],
  ['options', { since: '--upload-pack=touch /tmp/x' }],
  ['ranges', { since: 'main..other' }],
  ['paths of a commit', { since: 'main:secret' }],
  ['other expressions of git', { since: 'main@{1}' }],
  ['long references', { since: 'x'.repeat(256) }],
  ['NUL in references', { since: 'a\0' }],
  ['empty symbols', { symbols: [''] }],
  ['too many symbols', { symbols: Array.from({ length: 51 }, (_, at) => `f${at}`) }],
  ['long symbols', { symbols: ['x'.repeat(501)] }],
])('%s are refused', (_what, scope) => {
  expect(AnalysisScope.safeParse(scope).success).toBe(false)
})
