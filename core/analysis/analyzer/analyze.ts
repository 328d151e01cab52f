import type { AnalysisResult, AnalysisWarning } from '../schema.ts'
import { detectFrameworks } from './frameworks/detect.ts'
import { packageInfo } from './manifests/package-info.ts'
import { readManifests } from './manifests/read.ts'
import { ParsePool, type PoolOptions } from './parsing/pool.ts'
import { rankCandidates } from './ranking/rank-candidates.ts'
import { readFiles, type Reading, type TrackedFile } from './read-files.ts'
import { countLanguages, listDirectories, listFiles, parsingWarnings } from './result.ts'
import { withDeadline } from './source/errors.ts'
import { type AnalyzeOptions, defaultLimits, type Progress, type Snapshot } from './types.ts'

/**
 * Reads a repository state and says what is in it and what most needs a test. Nothing of the repository runs, the
 * same state gives the same result, and what had to be left out is named in `warnings`.
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
    const known = (await options.cache?.load()) ?? new Map()
    const report = throttled(options.onProgress)
    const [reading, history] = await together(signal, (both) => [
      withPool(options.pool, { timeoutMs: limits.parseTimeoutMs, signal: both }, (pool) =>
        readFiles(snapshot, { known, pool, signal: both, report }),
      ),
      snapshot.history(both),
    ])
    signal.throwIfAborted()

    report({ phase: 'ranking', filesDone: 0, filesTotal: reading.files.length })
    const { candidates, candidateCount } = rankCandidates({
      files: reading.files,
      history,
      coverage: options.coverage,
      manifests: textOf(reading.manifests),
      limits,
    })
    const summary = summarize(reading, options.repositoryName ?? 'repository')
    report({ phase: 'ranking', filesDone: reading.files.length, filesTotal: reading.files.length })
    if (options.cache && !sameRecords(known, reading.records)) await options.cache.save(reading.records)

    return {
      commitSha: snapshot.commitSha,
      ...(snapshot.branch !== undefined && { branch: snapshot.branch }),
      summary: { ...summary.summary, candidateCount, historyCommits: history.commits },
      files: listFiles(reading.files),
      directories: listDirectories(reading.files),
      packageInfo: summary.packageInfo,
      testCandidates: candidates,
      warnings: [...snapshot.warnings, ...summary.warnings, ...parsingWarnings(reading.files)],
    }
  })
}

/** Both or neither: the failure of one stops the other, and is not thrown before the other has ended. */
async function together<A, B>(
  signal: AbortSignal,
  start: (both: AbortSignal) => readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const failed = new AbortController()
  const works = start(AbortSignal.any([signal, failed.signal]))
  for (const work of works) work.catch((error: unknown) => failed.abort(error))
  const [first, second] = await Promise.allSettled(works)
  failed.signal.throwIfAborted()
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return [first.value, second.value]
}

async function withPool<T>(
  given: ParsePool | undefined,
  options: PoolOptions,
  work: (pool: ParsePool) => Promise<T>,
): Promise<T> {
  if (given) return await work(given)
  await using pool = new ParsePool(options)
  return await work(pool)
}

function summarize({ files, manifests: contents }: Reading, repositoryName: string) {
  const paths = files.map((file) => file.path)
  const { manifests, notes } = readManifests(
    [...contents].map(([path, content]) => ({ path, content })),
    paths,
  )
  const own = files.filter((file) => !file.tags.includes('vendored'))
  const inlineTests = own.filter((file) => file.record?.facts?.inlineTests).map((file) => file.path)
  const { frameworks, testFrameworks } = detectFrameworks({
    manifests,
    paths: own.map((file) => file.path),
    imports: countImports(own),
    inlineTests,
  })
  const languages = countLanguages(files)
  const warnings = notes.map(({ path, message }): AnalysisWarning => ({
    code: 'unparsed',
    message: `it ${message}`,
    path,
  }))
  return {
    summary: {
      totalFiles: files.length,
      languages,
      frameworks,
      hasTests: inlineTests.length > 0 || own.some((file) => file.tags.includes('test')),
      testFrameworks,
    },
    packageInfo: packageInfo(manifests, repositoryName, languages),
    warnings,
  }
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

function textOf(contents: ReadonlyMap<string, Buffer>): Map<string, string> {
  return new Map([...contents].map(([path, content]) => [path, content.toString().replace(/^\uFEFF/, '')]))
}

function sameRecords(known: ReadonlyMap<string, unknown>, records: ReadonlyMap<string, { facts?: unknown }>): boolean {
  return known.size === records.size && [...records.keys()].every((key) => known.has(key))
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
