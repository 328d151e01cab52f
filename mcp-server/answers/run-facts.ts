import { z } from 'zod'
import { ReportedStatus, RunPhase, RunSource, type TestRun, TestType } from '../../core/test-runs/schema.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'

/** A run as the tools tell of it. */
export const RunFact = z.object({
  runId: z.string(),
  projectId: z.string(),
  status: ReportedStatus,
  type: TestType,
  source: RunSource,
  branch: z.string().optional(),
  commitSha: z.string().optional(),
  pullRequest: z.int().optional(),
  rerunOf: z.string().optional(),
  /** Once it has ended with results. */
  tests: z.object({ total: z.int(), passed: z.int(), failed: z.int(), skipped: z.int(), flaky: z.int() }).optional(),
  coveragePercent: z.number().optional(),
  seconds: z.number().optional(),
  queue: z.object({ position: z.int(), reason: z.string() }).optional(),
  progress: z.object({ phase: RunPhase, command: z.string().optional(), logLines: z.int() }).optional(),
  error: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  createdAt: z.string(),
})
export type RunFact = z.infer<typeof RunFact>

export const hasEnded = ({ status }: Pick<RunFact, 'status'>) => status !== 'PENDING' && status !== 'RUNNING'

const longestCommand = 400
const longestMessage = 500
const maxWarnings = 5

export function runFact(run: TestRun): RunFact {
  const { queue, progress, error, warnings } = run
  return {
    runId: run.id,
    projectId: run.projectId,
    status: run.reportedStatus,
    type: run.type,
    source: run.source,
    branch: branchFact(run.branch),
    commitSha: run.commitSha ?? undefined,
    pullRequest: run.pullRequest ?? undefined,
    rerunOf: run.rerunOf ?? undefined,
    tests: run.status === 'COMPLETED' ? testCounts(run) : undefined,
    coveragePercent: run.coverage === null ? undefined : round(run.coverage),
    seconds: run.duration === null ? undefined : round(run.duration / 1_000),
    queue: queue ? { position: queue.position, reason: prose(queue.reason) } : undefined,
    progress: progress
      ? {
          phase: progress.phase,
          command: progress.command === null ? undefined : commandFact(progress.command),
          logLines: progress.logLines,
        }
      : undefined,
    error: error ? prose(`${error.code}: ${error.message}`) : undefined,
    warnings: warnings.length > 0 ? warnings.slice(0, maxWarnings).map(prose) : undefined,
    createdAt: run.createdAt,
  }
}

export const branchFact = (branch: string | null) => (branch === null ? undefined : shorten(cleanName(branch), 255))

export const commandFact = (command: string) => shorten(cleanLine(command), longestCommand)

/** Enough of a commit's id to know it by. */
export const shortCommit = (commitSha: string | null) => commitSha?.slice(0, 12)

const prose = (text: string) => shorten(cleanLine(text), longestMessage)

const round = (value: number) => Math.round(value * 10) / 10

const testCounts = (run: TestRun) => ({
  total: run.totalTests,
  passed: run.passedTests,
  failed: run.failedTests,
  skipped: run.skippedTests,
  flaky: run.flakyTests,
})

export function renderRun(run: RunFact): string[] {
  const { tests, queue, progress, error, warnings = [], coveragePercent, seconds } = run
  const at = [run.branch, run.commitSha && `@ ${run.commitSha}`].filter(Boolean).join(' ')
  const more = [
    tests && renderCounts(tests),
    coveragePercent !== undefined && `coverage ${coveragePercent} %`,
    seconds !== undefined && `${seconds} s`,
  ].filter(Boolean)
  const made = [
    `project ${run.projectId}`,
    at,
    `type ${run.type}`,
    run.rerunOf === undefined ? `by ${run.source}` : `${run.source} of what failed in ${run.rerunOf}`,
    run.pullRequest !== undefined && `pull request ${run.pullRequest}`,
    `created ${run.createdAt}`,
  ].filter(Boolean)
  return [
    `Run ${run.runId}: ${run.status}${more.length > 0 ? `. ${more.join('; ')}` : ''}.`,
    `${made.join('; ')}.`,
    ...(queue ? [`Waits, position ${queue.position}: ${queue.reason}`] : []),
    ...(progress ? [`Now ${renderProgress(progress)}.`] : []),
    ...(error === undefined ? [] : [`Error: ${error}`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
}

export function renderCounts({ total, passed, failed, skipped, flaky }: NonNullable<RunFact['tests']>): string {
  const told = [`${failed} failed`, `${passed} passed`, `${skipped} skipped`, `${flaky} flaky`]
  return `${total} tests: ${told.join(', ')}`
}

export function renderProgress({ phase, command, logLines }: NonNullable<RunFact['progress']>): string {
  return `${phase}${command === undefined ? '' : `, ${command}`}, ${logLines} log lines`
}
