import { join } from 'node:path'
import { answerJob, type JobContext } from '../processes/child-jobs.ts'
import { ParsePool } from '../parsing/pool.ts'
import { openCommit } from '../source/commit.ts'
import { gitIsUsable } from '../source/git.ts'
import { KeptContents } from '../source/kept-contents.ts'
import { fileCache } from './cache.ts'
import { findCoverage } from './find-coverage.ts'
import type { AnalysisEvent, AnalysisJob, FinishedAnalysis } from './run.ts'
import { defaultLimits, type Progress } from './types.ts'

/** The process that `run.ts` starts. It may be kept for the next analysis of the same project. */
answerJob(work, { group: true })

// Asked while the job arrives. The first command waits for the answer, and reports it.
gitIsUsable().catch(() => undefined)

let pool: ParsePool | undefined
const contents = new KeptContents()

async function work(job: AnalysisJob, { signal, report, ask }: JobContext<AnalysisEvent>): Promise<FinishedAnalysis> {
  const limits = { ...defaultLimits, ...job.limits }
  const onProgress = (progress: Progress) => void report({ progress })
  pool ??= new ParsePool({ timeoutMs: limits.parseTimeoutMs, signal })
  // Starts while the commit is being fetched. What was analyzed before seldom has anything to parse.
  if (!job.isKnown) pool.warm()
  // A failure is reported where the code is needed.
  const onListing = () => void loadCode().catch(() => undefined)
  await using snapshot = await openCommit({ ...job, limits, contents, signal, onProgress, onListing })
  const { commitSha, branch } = snapshot
  await report({ commit: { commitSha, branch } })
  const [{ analyze }, { primaryLanguage }] = await loadCode()
  const result = await analyze(snapshot, {
    limits,
    signal,
    onProgress,
    onFirstAnswer: (firstAnswer) => void report({ firstAnswer }),
    repositoryName: repositoryName(job.url),
    ...(job.planSettings && { planSettings: job.planSettings }),
    cache: fileCache(join(job.directory, 'facts')),
    pool,
    isKnown: job.isKnown === true,
    ...(job.strength && { strength: job.strength }),
    ...(job.scope && { scope: job.scope }),
    findCoverage: (within) => findCoverage(snapshot, new Set(job.measuredCommits), ask, within),
  })
  return {
    commitSha,
    branch,
    json: JSON.stringify(result),
    filesAnalyzed: result.summary.totalFiles,
    testCandidates: result.summary.candidateCount ?? 0,
    languages: result.summary.languages,
    frameworks: result.summary.frameworks.map((framework) => framework.name),
    primaryLanguage: primaryLanguage(result.files),
    coverage: result.summary.coverage ?? null,
  }
}

/** Takes as long as git needs to list the files. */
const loadCode = () => Promise.all([import('./analyze.ts'), import('./primary-language.ts')])

/** `app` for `https://host/owner/app.git` and for `/srv/app/`. */
function repositoryName(url: string): string {
  return (
    url
      .replace(/(?<!\/)\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? url
  )
}
