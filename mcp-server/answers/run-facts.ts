import { z } from 'zod'
import { ReportedStatus, RunPhase, RunSource, type TestRun, TestType } from '../../core/test-runs/schema.ts'
import { runCoverageWords } from '../../client/run-coverage-words.ts'
import { first, maybe, untrusted } from './untrusted.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { joined } from './words.ts'

export const Branch = untrusted.name(255)
export const Command = untrusted.line(400)
const prose = untrusted.line(500)

/** The beginning of a commit's id, enough to know it by. */
export const ShortCommit = z.string().overwrite((commitSha) => commitSha.slice(0, 12))

/** A run as the tools show it. */
export const RunFact = z.object({
  status: ReportedStatus,
  runId: z.string(),
  projectId: z.string(),
  /** The page for people. */
  url: z.string(),
  type: TestType,
  source: RunSource,
  branch: maybe(Branch),
  commitSha: maybe(z.string()),
  /** The commit is a snapshot of a working tree. */
  snapshotId: maybe(z.string()),
  pullRequest: maybe(z.int()),
  rerunOf: maybe(z.string()),
  /** Absent until the run has ended with results. */
  tests: z
    .object({
      total: z.int(),
      passed: z.int(),
      failed: z.int(),
      /** Failed, but muted by quarantine. Absent for none. */
      muted: z.int().optional(),
      skipped: z.int(),
      flaky: z.int(),
    })
    .optional(),
  coveragePercent: maybe(z.number()),
  /** In words, with the lines and files that it is of. */
  coverage: maybe(untrusted.line(700)),
  seconds: maybe(z.number()),
  queue: maybe(z.object({ position: z.int(), reason: prose })),
  progress: maybe(z.object({ phase: RunPhase, command: maybe(Command), logLines: z.int() })),
  error: maybe(prose),
  warnings: maybe(first(5, prose)),
  createdAt: z.string(),
})
export type RunFact = z.infer<typeof RunFact>

export const hasEnded = ({ status }: Pick<RunFact, 'status'>) => status !== 'PENDING' && status !== 'RUNNING'

export const runFact = ({
  id: runId,
  reportedStatus,
  coverage,
  coverageFigures,
  duration,
  error,
  ...run
}: TestRun): RunFact =>
  RunFact.parse({
    ...run,
    runId,
    status: reportedStatus,
    tests: run.status === 'COMPLETED' ? testCounts(run) : undefined,
    coveragePercent: coverage === null ? null : round(coverage),
    coverage: coverageLine({ coverage, coverageFigures }),
    seconds: duration === null ? null : round(duration / 1_000),
    error: error && `${error.code}: ${inWordsOf('tools', error.message)}`,
  })

function coverageLine(run: Pick<TestRun, 'coverage' | 'coverageFigures'>): string | null {
  const words = runCoverageWords(run)
  return words && `${words.summary}${words.worst === null ? '' : `; least covered: ${words.worst}`}`
}

const round = (value: number) => Math.round(value * 10) / 10

const testCounts = (
  run: Pick<TestRun, 'totalTests' | 'passedTests' | 'failedTests' | 'mutedTests' | 'skippedTests' | 'flakyTests'>,
) => ({
  total: run.totalTests,
  passed: run.passedTests,
  failed: run.failedTests,
  ...(run.mutedTests > 0 ? { muted: run.mutedTests } : {}),
  skipped: run.skippedTests,
  flaky: run.flakyTests,
})

export const describeProgress = ({ phase, command, logLines }: NonNullable<RunFact['progress']>) =>
  joined(', ', phase, command, `${logLines} log lines`)
