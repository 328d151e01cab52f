import type { AnalysisResult, DetectedFramework, RankingCoverage, RankingStrength } from './schema.ts'
import type { AnalysisWarning } from '../source/schema.ts'
import { describeCandidates } from './details/describe-candidates.ts'
import { keepDescriptions } from './details/known-descriptions.ts'
import { detectFrameworks } from './frameworks/detect.ts'
import type { Manifest } from '../manifests/manifest.ts'
import type { PackageInfo } from '../manifests/schema.ts'
import { firstAnswer } from './first-answer.ts'
import { buildGraph } from './graph/graph.ts'
import { SourceTree } from './graph/source-tree.ts'
import { withoutLeftOut } from './find-coverage.ts'
import { findInFiles } from './findings/find.ts'
import { listFindings } from './findings/list.ts'
import { packageInfo } from '../manifests/package-info.ts'
import { readManifests } from '../manifests/read.ts'
import { ParsePool, type PoolOptions } from '../parsing/pool.ts'
import { FileReaches } from './ranking/file-reach.ts'
import { rankCandidates } from './ranking/rank-candidates.ts'
import { type FileStrength, strengthOfFiles } from './ranking/strength.ts'
import { tagNamedTests } from './tag-tests.ts'
import { noPlanSettings, readTesting } from './read-testing.ts'
import { runnersFirst } from './frameworks/runners-first.ts'
import { layoutOfFiles } from '../test-names/test-place.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import type { TestedProject } from '../test-plan/test-home.ts'
import { readFiles, type ReadOptions, type TrackedFile, unlessAborted, worthKeeping } from './read-files.ts'
import { countLanguages, listDirectories, listFiles, parsingWarnings } from './result.ts'
import { changedCasesFirst, limitTo } from './scope.ts'
import { namingField } from '../source/base-reference.ts'
import { withDeadline } from '../source/errors.ts'
import { together } from '../source/together.ts'
import { type AnalyzeOptions, defaultLimits, type FileRecord, type KnownCoverage, type Progress } from './types.ts'
import type { Snapshot } from '../source/types.ts'

/**
 * Reads a repository state and returns its contents and the symbols that most need a test. It runs no code of the
 * repository. The same state gives the same result, and `warnings` names everything that was left out.
 */
export async function analyze(snapshot: Snapshot, options: AnalyzeOptions = {}): Promise<AnalysisResult> {
  const limits = { ...defaultLimits, ...options.limits }
  const bounds = {
    signal: options.signal ?? new AbortController().signal,
    milliseconds: limits.analysisTimeoutMs,
    what: 'The analysis',
  }
  return await withDeadline(bounds, async (signal) => {
    signal.throwIfAborted()
    const report = throttled(options.onProgress)
    await using opened = openPool(options.pool, { timeoutMs: limits.parseTimeoutMs, signal })
    const { pool } = opened
    const { scope } = options
    const manifestsRead = Promise.withResolvers<void>()
    const [contents, [history, found, onTop]] = await together(signal, (both) => [
      readContents(snapshot, options, { pool, signal: both, report, onManifests: manifestsRead.resolve }),
      Promise.all([
        // Not earlier, because the first answer waits for the manifests.
        unlessAborted(both, manifestsRead.promise).then(() => snapshot.history(both)),
        options.findCoverage?.(both),
        scope?.since === undefined ? undefined : namingField('since', snapshot.changesOnTopOf(scope.since, both)),
      ]),
    ])
    signal.throwIfAborted()

    const { files, manifests, languages } = contents
    const limited = scope && limitTo(scope, files, onTop)
    report({ phase: 'ranking', filesDone: 0, filesTotal: files.length })
    const tree = new SourceTree(files, contents.text)
    const graph = buildGraph(tree)
    const reaches = new FileReaches(tree, graph)
    const coverage = found && withoutLeftOut(found, (path) => reaches.distance(tree.idOf(path) ?? -1) !== Infinity)
    const strength = options.strength && strengthOfFiles(options.strength, snapshot.entries)
    const { candidates, callers, candidateCount } = rankCandidates({
      files,
      known: { tree, graph, reaches },
      history,
      coverage,
      strength,
      manifests: contents.text,
      limits,
      scope: limited,
    })
    const { frameworks, testFrameworks, hasTests } = frameworksOf(files, manifests, contents.testing)
    const describing = describeCandidates({
      snapshot,
      files,
      candidates,
      callers,
      coverage,
      pool,
      project: testedProject(files, contents.packageInfo, contents.testing, testFrameworks),
      manifests: contents.text,
      maxDetailed: limits.maxDetailed,
      signal,
    })
    // Other processes parse for the descriptions meanwhile.
    const finding = findInFiles({ snapshot, tree, graph, manifests, signal })
    const [details, inFiles] = await together(signal, () => [describing, finding])
    report({ phase: 'ranking', filesDone: files.length, filesTotal: files.length })
    const records = worthKeeping(files)
    keepDescriptions(records, details.descriptions)
    if (options.cache && !sameRecords(contents.known, records)) await options.cache.save(records)

    return {
      commitSha: snapshot.commitSha,
      ...(snapshot.branch !== undefined && { branch: snapshot.branch }),
      summary: {
        totalFiles: files.length,
        languages,
        frameworks,
        hasTests,
        testFrameworks,
        candidateCount,
        historyCommits: history.commits,
        ...(limited && { scope: limited.resolved }),
        testing: contents.testing,
        ...(options.findCoverage && { coverage: coverage ? summaryOf(coverage) : null }),
        ...(strength && { strength: strengthSummary(strength) }),
      },
      files: contents.listing,
      directories: contents.directories,
      packageInfo: contents.packageInfo,
      testCandidates: limited ? changedCasesFirst(details.candidates) : details.candidates,
      ...listFindings([...inFiles.filter(({ path }) => limited?.hasFile(path) ?? true), ...details.findings]),
      warnings: inOrder([...snapshot.warnings, ...contents.warnings, ...parsingWarnings(files)]),
    }
  })
}

const summaryOf = ({ commitSha, behind, files, changedFiles, goneFiles, earlier }: KnownCoverage): RankingCoverage => ({
  commitSha,
  behind,
  measuredFiles: [...files.values()].filter((file) => !file.isUnlisted).length,
  changedFiles,
  goneFiles,
  ...(earlier && { earlier }),
})

const triedIn = ({ lines }: FileStrength) => lines.reduce((sum, [, count]) => sum + count, 0)

function strengthSummary(files: ReadonlyMap<string, FileStrength>): RankingStrength | null {
  if (files.size === 0) return null
  const tried = [...files.values()].reduce((sum, file) => sum + triedIn(file), 0)
  const survived = [...files.values()].flatMap(({ lines }) => lines).reduce((sum, [, , count]) => sum + count, 0)
  const reached = [...files.values()].reduce((sum, file) => sum + (file.reached ?? triedIn(file)), 0)
  const noticed = tried - survived
  const percent = (count: number, all: number) => (all === 0 ? 0 : Math.round((1_000 * count) / all) / 10)
  return {
    measuredFiles: files.size,
    tried,
    noticed,
    percent: percent(noticed, tried),
    interval: [percent(noticed, reached), percent(reached - survived, reached)],
  }
}

/** The caller's pool, which stays open, or one for this analysis. */
function openPool(given: ParsePool | undefined, options: PoolOptions): AsyncDisposable & { pool: ParsePool } {
  const pool = given ?? new ParsePool(options)
  return { pool, [Symbol.asyncDispose]: async () => (given ? undefined : await pool[Symbol.asyncDispose]()) }
}

async function readContents(
  snapshot: Snapshot,
  {
    cache,
    isKnown = false,
    planSettings = noPlanSettings,
    repositoryName = 'repository',
    onFirstAnswer,
  }: AnalyzeOptions,
  { onManifests, ...reading }: Omit<ReadOptions, 'known' | 'retries' | 'onManifests'> & { onManifests: () => void },
) {
  const known = (await cache?.load()) ?? new Map<string, FileRecord>()
  let read: ReadManifests | undefined
  const { files, manifests, parsed } = await readFiles(snapshot, {
    known,
    retries: isKnown ? 0 : 1,
    ...reading,
    onManifests: (files, contents) => {
      onManifests()
      read = parseManifests(files, contents)
      onFirstAnswer?.(firstAnswer(files, read.manifests))
    },
  })
  onManifests()
  // Work without facts runs while files are parsed. If the plan fails, these promises are not awaited.
  parsed.catch(() => undefined)
  const testing = await readTesting(snapshot, manifests, planSettings, reading.signal)
  tagNamedTests(files, testing)
  const listed = list(files, manifests, read ?? parseManifests(files, manifests), repositoryName)
  await parsed
  return { files, known, testing, ...listed }
}

type ReadManifests = ReturnType<typeof readManifests>

const parseManifests = (files: readonly TrackedFile[], contents: ReadonlyMap<string, Buffer>): ReadManifests =>
  readManifests(
    [...contents].map(([path, content]) => ({ path, content })),
    files.map((file) => file.path),
  )

function list(
  files: readonly TrackedFile[],
  contents: ReadonlyMap<string, Buffer>,
  { manifests, notes }: ReadManifests,
  repositoryName: string,
) {
  const languages = countLanguages(files)
  return {
    manifests,
    packageInfo: packageInfo(manifests, repositoryName, languages),
    warnings: notes.map(({ path, message }): AnalysisWarning => ({ code: 'unparsed', message: `it ${message}`, path })),
    text: new Map([...contents].map(([path, content]) => [path, content.toString().replace(/^\uFEFF/, '')])),
    languages,
    listing: listFiles(files),
    directories: listDirectories(files),
  }
}

function frameworksOf(files: readonly TrackedFile[], manifests: readonly Manifest[], testing: readonly TestingPart[]) {
  const own = files.filter((file) => !file.tags.includes('vendored'))
  const inlineTests = own.filter((file) => file.record?.facts?.inlineTests).map((file) => file.path)
  const found = detectFrameworks({
    manifests,
    paths: own.map((file) => file.path),
    imports: countImports(own),
    inlineTests,
  })
  return {
    ...found,
    testFrameworks: runnersFirst(found.testFrameworks, testing),
    hasTests: inlineTests.length > 0 || own.some((file) => file.tags.includes('test')),
  }
}

function testedProject(
  files: readonly TrackedFile[],
  { manifests = [] }: PackageInfo,
  testing: readonly TestingPart[],
  testFrameworks: readonly DetectedFramework[],
): TestedProject {
  const known = new Set(files.map(({ path }) => path))
  return { testing, testFrameworks, layout: layoutOfFiles(files, manifests), isFile: (path) => known.has(path) }
}

/** Specifiers with the number of files that import them; examples in the documentation prove nothing. */
function countImports(files: readonly TrackedFile[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { tags, record } of files) {
    if (tags.includes('documentation')) continue
    const specifiers = new Set(record?.facts?.imports.map((fact) => fact.specifier))
    for (const specifier of specifiers) counts.set(specifier, (counts.get(specifier) ?? 0) + 1)
  }
  return counts
}

/** Sorts warnings, because concurrent work reports them in random order. */
function inOrder(warnings: readonly AnalysisWarning[]): AnalysisWarning[] {
  // Those without a path speak of more files than were named, so they come after these.
  const key = ({ code, path }: AnalysisWarning) => `${code} ${path ?? '\uffff'}`
  return warnings.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

function sameRecords(known: ReadonlyMap<string, FileRecord>, records: ReadonlyMap<string, FileRecord>): boolean {
  if (known.size !== records.size) return false
  for (const [key, { facts, descriptions, timeouts }] of records) {
    const before = known.get(key)
    if (!before || (facts && !before.facts)) return false
    if (before.descriptions !== descriptions || before.timeouts !== timeouts) return false
  }
  return true
}

const reportMs = 50

/** Lets through the first and the last report of each phase, and those between only now and then. */
function throttled(onProgress: AnalyzeOptions['onProgress']): (progress: Progress) => void {
  let last: { phase: string; at: number } | undefined
  return (progress) => {
    const now = performance.now()
    const complete = progress.filesDone === progress.filesTotal
    if (!complete && last?.phase === progress.phase && now - last.at < reportMs) return
    last = { phase: progress.phase, at: now }
    onProgress?.(progress)
  }
}
