import { join } from 'node:path'
import { fileCache } from './cache.ts'
import type { FromAnalysis, ToAnalysis } from './run-messages.ts'
import { ParsePool } from '../parsing/pool.ts'
import type { AnalysisJob, FinishedAnalysis } from './run.ts'
import { openCommit } from '../source/commit.ts'
import { defaultLimits } from './types.ts'
import { RepositoryError } from '../source/types.ts'

/** The process that `run.ts` starts: takes one job, answers once, ends. */
const abort = new AbortController()

/** Time to remove locks and end helpers once nobody waits for the answer any more. */
const farewellMs = 5_000

process.on('disconnect', () => {
  abort.abort()
  // The group is this process and what it started.
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), farewellMs).unref()
})
process.on('message', (message: ToAnalysis) => {
  if ('job' in message) void answer(message.job)
  else abort.abort()
})

async function answer(job: AnalysisJob): Promise<void> {
  try {
    await send({ finished: await work(job) })
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    await send({ failed: { code: error instanceof RepositoryError ? error.code : undefined, message, stack } })
  }
  if (process.connected) process.disconnect()
}

async function work(job: AnalysisJob): Promise<FinishedAnalysis> {
  const limits = { ...defaultLimits, ...job.limits }
  const onProgress = (progress: Extract<FromAnalysis, { progress: unknown }>['progress']) => void send({ progress })
  const { signal } = abort
  // Up by the time that the commit is there, as is the code that is needed only then.
  await using pool = new ParsePool({ timeoutMs: limits.parseTimeoutMs, signal })
  pool.warm()
  const [opened, { analyze }, { primaryLanguage }] = await Promise.all([
    openCommit({ ...job, limits, signal, onProgress }),
    import('./analyze.ts'),
    import('./primary-language.ts'),
  ])
  await using snapshot = opened
  const { commitSha, branch } = snapshot
  await send({ commit: { commitSha, branch } })
  const result = await analyze(snapshot, {
    limits,
    signal,
    onProgress,
    repositoryName: repositoryName(job.url),
    cache: fileCache(join(job.directory, 'facts')),
    pool,
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
  }
}

/** `app` for `https://host/owner/app.git` and for `/srv/app/`. */
function repositoryName(url: string): string {
  return (
    url
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? url
  )
}

function send(message: FromAnalysis): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || !process.send) resolve()
    // Who does not listen any more does not need the message either.
    else process.send(message, undefined, undefined, () => resolve())
  })
}
