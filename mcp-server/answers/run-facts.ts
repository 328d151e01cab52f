import { z } from 'zod'
import { ReportedStatus, RunPhase, RunSource, type TestRun, TestType } from '../../core/test-runs/schema.ts'
import { first, maybe, untrusted } from './untrusted.ts'
import { joined, type Line } from './words.ts'

export const Branch = untrusted.name(255)
export const Command = untrusted.line(400)
const prose = untrusted.line(500)

/** The beginning of a commit's id, enough to know it by. */
export const ShortCommit = z.string().overwrite((commitSha) => commitSha.slice(0, 12))

/** A run as the tools show it. */
export const RunFact = z.object({
  runId: z.string(),
  projectId: z.string(),
  status: ReportedStatus,
  type: TestType,
  source: RunSource,
  branch: maybe(Branch),
  commitSha: maybe(z.string()),
  pullRequest: maybe(z.int()),
  rerunOf: maybe(z.string()),
  /** Absent until the run has ended with results. */
  tests: z.object({ total: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), flaky: z.int() }).optional(),
  coveragePercent: maybe(z.number()),
  seconds: maybe(z.number()),
  queue: maybe(z.object({ position: z.int(), reason: prose })),
  progress: maybe(z.object({ phase: RunPhase, command: maybe(Command), logLines: z.int() })),
  error: maybe(prose),
  warnings: maybe(first(5, prose)),
  createdAt: z.string(),
})
export type RunFact = z.infer<typeof RunFact>

export const hasEnded = ({ status }: Pick<RunFact, 'status'>) => status !== 'PENDING' && status !== 'RUNNING'

export const runFact = ({ id: runId, reportedStatus, coverage, duration, error, ...run }: TestRun): RunFact =>
  RunFact.parse({
    ...run,
    runId,
    status: reportedStatus,
    tests: run.status === 'COMPLETED' ? testCounts(run) : undefined,
    coveragePercent: coverage === null ? null : round(coverage),
    seconds: duration === null ? null : round(duration / 1_000),
    error: error && `${error.code}: ${error.message}`,
  })

const round = (value: number) => Math.round(value * 10) / 10

const testCounts = (
  run: Pick<TestRun, 'totalTests' | 'passedTests' | 'failedTests' | 'skippedTests' | 'flakyTests'>,
) => ({
  total: run.totalTests,
  passed: run.passedTests,
  failed: run.failedTests,
  skipped: run.skippedTests,
  flaky: run.flakyTests,
})

export function renderRun(run: RunFact): Line[] {
  const { runId, status, tests, queue, progress, error, warnings = [], coveragePercent, seconds, rerunOf } = run
  const results = joined(
    '; ',
    tests && renderCounts(tests),
    coveragePercent !== undefined && `coverage ${coveragePercent} %`,
    seconds !== undefined && `${seconds} s`,
  )
  const origin = joined(
    '; ',
    `project ${run.projectId}`,
    renderCommit(run.branch, run.commitSha),
    `type ${run.type}`,
    rerunOf === undefined ? `by ${run.source}` : `${run.source} of the failed tests of ${rerunOf}`,
    run.pullRequest !== undefined && `pull request ${run.pullRequest}`,
    `created ${run.createdAt}`,
  )
  return [
    `Run ${runId}: ${status}${results && `. ${results}`}.`,
    `${origin}.`,
    queue && `Position ${queue.position} in the queue: ${queue.reason}`,
    progress && `Now ${renderProgress(progress)}.`,
    error !== undefined && `Error: ${error}`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
}

export const renderCommit = (branch: string | undefined, commit: string | undefined) =>
  joined(' ', branch, commit && `@ ${commit}`)

export const renderCounts = ({ total, passed, failed, skipped, flaky }: NonNullable<RunFact['tests']>) =>
  `${total} tests: ${failed} failed, ${passed} passed, ${skipped} skipped, ${flaky} flaky`

export const renderProgress = ({ phase, command, logLines }: NonNullable<RunFact['progress']>) =>
  joined(', ', phase, command, `${logLines} log lines`)
