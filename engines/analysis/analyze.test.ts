import type { CarriedFile } from '../coverage/carry-over.ts'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type Files, type GitRepository } from '../source/testing/git-repository.ts'
import { AnalysisResult } from './schema.ts'
import { analyze } from './analyze.ts'
import { cacheKey, fileCache } from './cache.ts'
import { ParsePool } from '../parsing/pool.ts'
import { openCommit } from '../source/commit.ts'
import { openWorkingTree } from '../source/working-tree.ts'
import { type AnalyzeOptions, defaultLimits, type FileRecord, type Progress } from './types.ts'
import type { Snapshot } from '../source/types.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-analyze-'))
})
afterAll(() => rm(folder, { recursive: true }))

const shop: Files = {
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.2.3',
    dependencies: { koa: '3' },
    devDependencies: { vitest: '5' },
  }),
  'README.md': '# Shop\n',
  'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
  'src/price.ts': [
    "import Koa from 'koa'",
    'export function price(count: number, member: boolean) {',
    '  if (count <= 0) throw new Error("nothing")',
    '  if (count > 100 && member) return count * 0.8',
    '  return member ? count * 0.9 : count',
    '}',
    '',
  ].join('\n'),
  'src/total.ts':
    "import { price } from './price.ts'\nexport const total = (counts: number[]) => counts.map((c) => (c ? price(c, false) : 0))\n",
  'test/total.test.ts':
    "import { total } from '../src/total.ts'\nimport { test } from 'vitest'\ntest('total', () => { if (total([1])) throw 1 })\n",
  'vendor/lib.js': 'function vendored(a) { if (a) return a && a.b }\n',
  latest: { linkTo: 'src/price.ts' },
}

test('returns the contents of a repository and the symbols to test first', async () => {
  await using repository = await createGitRepository(shop)
  const result = await analyzeCommit(repository)
  expect(AnalysisResult.parse(result)).toEqual(result)
  expect(result).toMatchObject({
    commitSha: await repository.git('rev-parse', 'HEAD'),
    branch: 'main',
    summary: {
      totalFiles: 8,
      languages: { TypeScript: 3, JSON: 1, Markdown: 1, Binary: 1, JavaScript: 1, Unknown: 1 },
      hasTests: true,
      candidateCount: 2,
      historyCommits: 1,
    },
    packageInfo: { name: 'shop', version: '1.2.3', manager: 'npm' },
    directories: [
      { path: 'src', fileCount: 2 },
      { path: 'test', fileCount: 1 },
      { path: 'vendor', fileCount: 1 },
    ],
    warnings: [],
  })
  expect(result.summary.frameworks.map(({ name }) => name)).toContain('Koa')
  expect(result.summary.testFrameworks).toMatchObject([{ name: 'vitest' }])
  expect(result.testCandidates).toMatchObject([
    {
      path: 'src/price.ts',
      symbol: 'price',
      startLine: 2,
      endLine: 6,
      complexity: 5,
      churn: 1,
      fanIn: 1,
      exported: true,
    },
    { path: 'src/total.ts', symbol: 'total', startLine: 2, endLine: 2, complexity: 2, hasTest: true },
  ])
})

test('takes what the command of a run names as tests for tests', async () => {
  const sums = 'def add(a, b):\n    if a > b:\n        return a\n    return b\n'
  const check = (name: string) =>
    `from sums import add\n\n\ndef ${name}():\n    if add(1, 2) != 2:\n        raise ValueError\n`
  const projects: Files[] = [
    { 'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["checks.py"]\n', 'checks.py': check('test_add') },
    { 'tox.ini': '[pytest]\npython_files = check_*.py\n', 'lib/check_sums.py': check('test_add') },
    { 'requirements.txt': 'pytest', 'test.py': check('test_add') },
  ]
  for (const files of projects) {
    await using repository = await createGitRepository({ ...files, 'sums.py': sums })
    const { files: listed, testCandidates, summary } = await analyzeCommit(repository)
    const tests = listed.filter(({ tags }) => tags?.includes('test')).map(({ path }) => path)
    expect(tests).toEqual([Object.keys(files)[1]])
    expect(testCandidates?.map(({ path }) => path)).toEqual(['sums.py'])
    expect(summary.hasTests).toBe(true)
  }
})

test('takes no code for tests because a command looks for examples in it', async () => {
  const source = 'def add(a, b):\n    if a > b:\n        return a\n    return b\n'
  await using repository = await createGitRepository({
    'pytest.ini': '[pytest]\naddopts = --doctest-modules\ntestpaths = src tests\npython_files = *.py\n',
    'src/sums.py': source,
    'tests/test_sums.py': 'def test_a():\n    pass\n',
  })
  const { files: listed } = await analyzeCommit(repository)
  expect(listed.find(({ path }) => path === 'src/sums.py')?.tags ?? []).not.toContain('test')
})

test('lists every tracked path once, and counts that add up', async () => {
  await using repository = await createGitRepository({
    ...shop,
    'a/same.ts': 'export const x = 1\n',
    'b/same.ts': 'export const x = 1\n',
    'empty.py': '',
    'deep/er/still/file.go': 'package still\n',
    'naïve "name".rb': 'def a; end\n',
    'docs/guide.py': 'def shown(a):\n    return a if a else 1\n',
  })
  const { files, summary, testCandidates } = await analyzeCommit(repository)
  const tracked = (await repository.git('ls-files', '-z')).split('\0').filter(Boolean)
  expect(files.map((file) => file.path)).toEqual(tracked)
  expect(summary.totalFiles).toBe(tracked.length)
  for (const [language, count] of Object.entries(summary.languages)) {
    expect([language, files.filter((file) => file.language === language).length]).toEqual([language, count])
  }
  const tags = Object.fromEntries(files.map((file) => [file.path, file.tags]))
  expect(tags).toMatchObject({
    'vendor/lib.js': ['vendored'],
    latest: ['symlink'],
    'docs/guide.py': ['documentation'],
    'test/total.test.ts': ['test'],
  })
  expect(testCandidates?.map((candidate) => candidate.path)).toEqual(['src/price.ts', 'src/total.ts'])
})

test('gives the same bytes for the same commit: cold, from the cache, and with any number of processes', async () => {
  await using repository = await createGitRepository(shop)
  await repository.commit({ 'src/more.ts': 'export const more = (a: number) => (a ? 1 : 2)\n' })
  await using pool = new ParsePool({ size: 1 })
  const cache = fileCache(join(folder, 'determinism'))
  const results = [
    await analyzeCommit(repository),
    await analyzeCommit(repository, { cache }),
    await analyzeCommit(repository, { cache }),
    await analyzeCommit(repository, { pool }),
    await analyzeCommit(repository, { pool }),
  ].map((result) => JSON.stringify(result))
  expect(results).toEqual(results.map(() => results[0]))
})

test('reads only what changed since the last analysis', async () => {
  await using repository = await createGitRepository(shop)
  const cache = fileCache(join(folder, 'incremental'))
  await analyzeCommit(repository, { cache })
  await repository.git('mv', 'src/total.ts', 'src/sum.ts')
  await repository.commit(
    { 'src/new.ts': 'export function fresh(a: number) { return a ? 1 : 2 }\n' },
    { message: 'add' },
  )
  const read: string[] = []
  // The best candidates are read again for their details.
  const limits = { maxDetailed: 0 }
  const result = await analyzeCommit(repository, { cache, limits }, recordReads(read))
  // Manifests are always read; a new name may mean another language.
  expect(read.toSorted()).toEqual(['package.json', 'src/new.ts', 'src/sum.ts'])
  expect(JSON.stringify(result)).toBe(JSON.stringify(await analyzeCommit(repository, { limits })))
  expect([...(await cache.load()).keys()].map((key) => key.split(' ')[1])).not.toContain('total.ts')
})

test('describes only candidates of which the file or the place has changed', async () => {
  const twin = 'export function twin(a: number) {\n  if (a > 5) throw new Error("much")\n  return a\n}\n'
  await using repository = await createGitRepository({ ...shop, 'src/a/twin.ts': twin, 'src/b/twin.ts': twin })
  const cache = fileCache(join(folder, 'described'))
  const cold = await analyzeCommit(repository, { cache })
  expect(cold.testCandidates?.find(({ symbol }) => symbol === 'price')).toMatchObject({
    cases: expect.arrayContaining([expect.objectContaining({ condition: 'count <= 0', outcome: 'throws' })]),
    brief: { signature: 'function price(count: number, member: boolean)' },
  })
  const read: string[] = []
  const known = await analyzeCommit(repository, { cache }, recordReads(read))
  expect(JSON.stringify(known)).toBe(JSON.stringify(cold))
  expect(read.filter((path) => path.startsWith('src/'))).toEqual([])

  await repository.commit({ 'src/b/twin.ts': twin.replace('a > 5', 'a > 7') })
  const changed = await analyzeCommit(repository, { cache }, recordReads(read))
  // For its facts and for its details.
  expect(read.filter((path) => path.startsWith('src/'))).toEqual(['src/b/twin.ts', 'src/b/twin.ts'])
  expect(JSON.stringify(changed)).toBe(JSON.stringify(await analyzeCommit(repository)))
  expect(JSON.stringify(changed.testCandidates)).toContain('a > 7')
})

test('describes the candidates of facts that were kept without descriptions', async () => {
  await using repository = await createGitRepository(shop)
  const cache = fileCache(join(folder, 'undescribed'))
  const expected = await analyzeCommit(repository, { cache })
  const whole = await cache.load()
  const without = structuredClone(new Map(whole))
  for (const record of without.values()) delete record.descriptions
  await cache.save(without)
  expect(JSON.stringify(await analyzeCommit(repository, { cache }))).toBe(JSON.stringify(expected))
  expect(await cache.load()).toEqual(whole)
})

test('does not trust a cache that is damaged, and mends it', async () => {
  await using repository = await createGitRepository(shop)
  const path = join(folder, 'mended')
  const cache = fileCache(path)
  const expected = JSON.stringify(await analyzeCommit(repository, { cache }))
  const whole = await readFile(path)
  await writeFile(path, whole.subarray(0, whole.length / 2))
  expect(JSON.stringify(await analyzeCommit(repository, { cache }))).toBe(expected)
  expect((await readFile(path)).equals(whole)).toBe(true)
})

test('analyzes a repository without its unreadable files, and names them', async () => {
  await using repository = await createGitRepository({
    ...shop,
    'src/brackets.ts': '['.repeat(20_000),
    'src/large.ts': `export const x = '${'x'.repeat(60_000)}'\n`,
    'src/broken.ts': 'function ( {\n',
    'other/package.json': '{ "name": ',
  })
  const cache = fileCache(join(folder, 'incomplete'))
  const limits = { maxBlobBytes: 60_000 }
  const result = await analyzeCommit(repository, { cache, limits })
  const warnings = Object.fromEntries(result.warnings?.map(({ path, code }) => [path, code]) ?? [])
  expect(warnings).toEqual({
    'src/large.ts': 'too_large',
    'src/brackets.ts': 'unparsed',
    'src/broken.ts': 'unparsed',
    'other/package.json': 'unparsed',
  })
  expect(result.testCandidates?.map((candidate) => candidate.symbol)).toEqual(['price', 'total'])
  expect(await analyzeCommit(repository, { cache, limits })).toEqual(result)
  expect(result.files.find((file) => file.path === 'src/large.ts')).toMatchObject({
    language: 'TypeScript',
    size: 60_020,
  })
})

test('quarantines a file that crashes its parser, and remembers it', async () => {
  await using repository = await createGitRepository({ ...shop, 'src/arrows.ts': `${'a=>'.repeat(20_000)}1\n` })
  const cache = fileCache(join(folder, 'quarantine'))
  const first = await analyzeCommit(repository, { cache, limits: { parseTimeoutMs: 5_000 } })
  expect(first.warnings).toMatchObject([
    { code: 'quarantined', path: 'src/arrows.ts', message: expect.stringContaining('crashed') },
  ])
  expect(first.testCandidates?.map((candidate) => candidate.symbol)).toEqual(['price', 'total'])
  const records: FileRecord[] = [...(await cache.load()).values()]
  expect(records.filter((record) => record.unparsed)).toMatchObject([{ unparsed: 'crash' }])
  expect(await analyzeCommit(repository, { cache })).toEqual(first)
})

test('reads uncommitted changes of a working tree', async () => {
  await using repository = await createGitRepository(shop)
  await repository.write({ 'src/draft.ts': 'export function draft(a: number) { return a > 1 ? a : 1 }\n' })
  const signal = new AbortController().signal
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const result = await analyze(snapshot)
  expect(result.testCandidates?.map((candidate) => candidate.path)).toContain('src/draft.ts')
  expect(result.packageInfo.name).toBe('shop')
})

test('remembers content under its own id, also when it changed while it was read', async () => {
  await using repository = await createGitRepository(shop)
  const cache = fileCache(join(folder, 'changing'))
  const signal = new AbortController().signal
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  await repository.write({ 'src/total.ts': 'export function changed(a: number) { return a ? 1 : 2 }\n' })
  const result = await analyze(snapshot, { cache })
  expect(result.testCandidates?.map((candidate) => candidate.symbol)).toContain('changed')
  const id = await repository.git('hash-object', 'src/total.ts')
  const record = (await cache.load()).get(cacheKey(id, 'src/total.ts'))
  expect(record?.facts?.symbols.map((symbol) => symbol.name)).toEqual(['changed'])
})

test('reports every phase with counts that end complete', async () => {
  await using repository = await createGitRepository(shop)
  const seen: Progress[] = []
  await analyzeCommit(repository, { onProgress: (progress) => seen.push(progress) })
  const last = new Map(seen.map((progress) => [progress.phase, progress]))
  expect([...last.keys()]).toEqual(['reading', 'parsing', 'ranking'])
  expect([...last.values()].map(({ filesDone, filesTotal }) => [filesDone, filesTotal])).toEqual([
    [8, 8],
    [3, 3],
    [8, 8],
  ])
})

test('parses a file that took too long once more, and never again for a known commit', async () => {
  await using repository = await createGitRepository({ ...shop, 'slow.php': slowSource })
  const cache = fileCache(join(folder, 'slow'))
  const limits = { parseTimeoutMs: 200 }
  const timeouts = async (isKnown: boolean) => {
    const { warnings } = await analyzeCommit(repository, { cache, limits, isKnown })
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'quarantined', path: 'slow.php' }))
    return [...(await cache.load()).values()].flatMap((record) => record.timeouts ?? [])
  }
  expect(await timeouts(false)).toEqual([1])
  expect(await timeouts(true)).toEqual([1])
  expect(await timeouts(false)).toEqual([2])
  expect(await timeouts(false)).toEqual([2])
})

test('stops when it is aborted and when its time is over', async () => {
  await using repository = await createGitRepository({ ...shop, 'slow.php': slowSource })
  const abort = new AbortController()
  const stopped = analyzeCommit(repository, {
    signal: abort.signal,
    onProgress: ({ phase }) => phase === 'parsing' && abort.abort(),
  })
  await expect(stopped).rejects.toMatchObject({ name: 'RepositoryError', code: 'cancelled' })
  const late = analyzeCommit(repository, { limits: { analysisTimeoutMs: 400, parseTimeoutMs: 30_000 } })
  await expect(late).rejects.toMatchObject({ name: 'RepositoryError', code: 'timeout' })
  const before = analyzeCommit(repository, { signal: AbortSignal.abort() })
  await expect(before).rejects.toMatchObject({ code: 'cancelled' })
})

test('takes measured coverage for what it estimates otherwise', async () => {
  await using repository = await createGitRepository(shop)
  const file: CarriedFile = {
    covered: [[3, 3]],
    uncovered: [
      [2, 2],
      [4, 5],
    ],
    partialBranches: null,
    changed: [],
  }
  const files = new Map([['src/price.ts', file]])
  const known = { commitSha: 'a'.repeat(40), behind: 2, files, changedFiles: 0, goneFiles: 1 }
  const result = await analyzeCommit(repository, { findCoverage: async () => known })
  expect(result.summary.coverage).toEqual({
    commitSha: 'a'.repeat(40),
    behind: 2,
    measuredFiles: 1,
    changedFiles: 0,
    goneFiles: 1,
  })
  const price = result.testCandidates?.find((candidate) => candidate.symbol === 'price')
  expect(price).toMatchObject({ coverageSource: 'measured', coverage: 0.333 })
})

test('knows nothing of a file that tests load and a whole run does not list: settings leave it out', async () => {
  const source = 'export function far(n: number) {\n  if (n > 1) return 1\n  return 2\n}\n'
  await using repository = await createGitRepository({
    'package.json': '{"type":"module","devDependencies":{"vitest":"5.1.0"},"scripts":{"test":"vitest run"}}',
    'src/loaded.ts': source,
    'src/index.ts': "export * from './loaded.ts'\n",
    'src/lost.ts': source,
    'test/index.test.ts':
      "import { test } from 'vitest'\nimport { far } from '../src/index.ts'\ntest('far', () => far(1))\n",
  })
  const unlisted = { covered: [], uncovered: [[1, 9]], partialBranches: null, changed: [], isUnlisted: true } as const
  const files = new Map([
    ['src/loaded.ts', unlisted],
    ['src/lost.ts', unlisted],
  ])
  const known = { commitSha: 'a'.repeat(40), behind: 0, files, changedFiles: 0, goneFiles: 0 }
  const { testCandidates } = await analyzeCommit(repository, { findCoverage: async () => known })
  const sourceOf = (wanted: string) => testCandidates?.find(({ path }) => path === wanted)?.coverageSource
  expect([sourceOf('src/loaded.ts'), sourceOf('src/lost.ts')]).toEqual(['estimated', 'measured'])
})

test('names the cases of the best candidates, and of measured ones those that no test runs', async () => {
  await using repository = await createGitRepository(shop)
  const priceIn = async (options: AnalyzeOptions) =>
    (await analyzeCommit(repository, options)).testCandidates?.find(({ symbol }) => symbol === 'price')
  const estimated = await priceIn({})
  expect(estimated?.cases).toMatchObject([
    { line: 3, condition: 'count <= 0', outcome: 'throws', result: 'Error: nothing', covered: null },
    { line: 4, condition: 'count > 100 && member', outcome: 'returns', result: 'count * 0.8', covered: null },
    { line: 5, condition: 'member', outcome: 'returns', result: 'count * 0.9', covered: null },
    { line: 5, condition: '!member', outcome: 'returns', result: 'count', covered: null },
  ])
  const file: CarriedFile = {
    covered: [[2, 4]],
    uncovered: [[5, 5]],
    partialBranches: [{ line: 3, taken: 0, total: 1 }],
    changed: [],
  }
  const files = new Map([['src/price.ts', file]])
  const known = { commitSha: 'a'.repeat(40), behind: 0, files, changedFiles: 0, goneFiles: 0 }
  const measured = await priceIn({ findCoverage: async () => known })
  expect(measured?.cases).toMatchObject([
    { line: 3, condition: 'count <= 0', covered: false },
    { line: 5, condition: 'member', covered: false },
    { line: 5, condition: '!member', covered: false },
    { line: 4, condition: '!(count > 100 && member)', covered: false },
  ])
  expect(await priceIn({ limits: { maxDetailed: 0 } })).not.toHaveProperty('cases')
})

test('names the cases of files that are not committed yet', async () => {
  await using repository = await createGitRepository(shop)
  await writeFile(
    join(repository.path, 'src/new.ts'),
    'export function fresh(a) {\n  if (!a) throw new Error("a")\n}\n',
  )
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const { testCandidates } = await analyze(snapshot)
  const fresh = testCandidates?.find(({ symbol }) => symbol === 'fresh')
  expect(fresh?.cases).toMatchObject([{ line: 2, condition: '!a', outcome: 'throws', result: 'Error: a' }])
})

test('uses the given name for repositories without a manifest', async () => {
  await using repository = await createGitRepository({ 'a.py': 'x = 1\n' })
  expect((await analyzeCommit(repository, { repositoryName: 'scripts' })).packageInfo.name).toBe('scripts')
})

/** Takes its parser several seconds. */
const slowSource = `<?php ${'if ( foreach match [ => class ] ) fn '.repeat(20_000)}`

async function analyzeCommit(
  repository: GitRepository,
  options: AnalyzeOptions = {},
  wrap: (snapshot: Snapshot) => Snapshot = (snapshot) => snapshot,
) {
  await using snapshot = await openCommit({
    url: repository.path,
    directory: join(folder, createHash('sha1').update(repository.path).digest('hex')),
    ref: {},
    allowLocal: true,
    allowCidrs: [],
    limits: { ...defaultLimits, ...options.limits },
    signal: new AbortController().signal,
  })
  return await analyze(wrap(snapshot), options)
}

/** Notes the paths that an analysis reads. */
function recordReads(read: string[]): (snapshot: Snapshot) => Snapshot {
  return (snapshot) => ({
    ...snapshot,
    [Symbol.asyncDispose]: () => snapshot[Symbol.asyncDispose](),
    read: (entries, signal) => {
      read.push(...entries.map((entry) => entry.path))
      return snapshot.read(entries, signal)
    },
  })
}
