import { z } from 'zod'
import type { TestHistory } from '../../core/test-runs/results/schema.ts'
import { Health, type StripResult, type TestDetail, type TestSummary } from '../../core/tests/schema.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { QuarantineMode, QuarantineStatus } from '../../core/quarantine/schema.ts'
import { commandToType, Label, testName } from './failure-facts.ts'
import { Branch, ShortCommit } from './run-facts.ts'
import { first, maybe, untrusted } from './untrusted.ts'

const TestFact = z.object({ testId: z.string(), test: Label, variant: maybe(Label) })

/** A test in a list. */
export const ListedTest = TestFact.extend({
  file: maybe(Label),
  /** Absent if Assay has not judged the test. */
  health: Health.optional(),
  failures: z.int().optional(),
  impact: z.int().optional(),
  quarantine: z.string().optional(),
})

const Message = untrusted.line(240)

const ResultFact = z.object({
  runId: z.string(),
  status: z.enum(['passed', 'failed', 'muted', 'retried', 'skipped']),
  /** Why a failure does not count. */
  outage: z.string().optional(),
  branch: maybe(Branch),
  commit: maybe(ShortCommit),
  at: z.string(),
  milliseconds: maybe(z.number()),
  message: maybe(untrusted.line(160)),
})

/** What is known about one test. */
export const HealthFacts = z.object({
  test: TestFact.extend({ file: maybe(Label) }),
  /** Absent if Assay has not judged the test. */
  health: Health.optional(),
  /** Why it has this health. */
  reason: z.string().optional(),
  since: maybe(z.object({ runId: maybe(z.string()), commit: maybe(ShortCommit), at: z.string() })),
  advice: z.string().optional(),
  rerunCommand: z.string().optional(),
  quarantine: maybe(
    z.object({
      quarantineId: z.string(),
      status: QuarantineStatus,
      mode: QuarantineMode,
      until: maybe(z.string()),
      reason: maybe(Message),
      owner: maybe(Label),
      issueUrl: maybe(untrusted.line(400)),
    }),
  ),
  lastFailure: maybe(
    z.object({
      runId: z.string(),
      commit: maybe(ShortCommit),
      branch: maybe(Branch),
      at: z.string(),
      message: maybe(Message),
    }),
  ),
  /** The first of the latest failures in a row. */
  failingSince: maybe(z.object({ runId: z.string(), commit: maybe(ShortCommit), at: z.string(), runs: z.int() })),
  /** Of its latest 100 results, or 500 if Assay has not judged the test. */
  totals: z
    .object({ runs: z.int(), passed: z.int(), failed: z.int(), muted: z.int().optional(), retried: z.int() })
    .optional(),
  /** Failures and retries of the last 30 days; the share of results on the default branch that failed or needed a retry. */
  failures: z
    .object({ last30Days: z.int(), failedRuns: z.int(), people: z.int(), sharePercent: z.number() })
    .optional(),
  /** Another name under which the test probably ran before. */
  renamedFrom: maybe(z.object({ testId: z.string(), test: Label, howToJoin: z.string() })),
  /** If there are several. */
  variants: maybe(untrusted.line(300)),
  /** The page for people. */
  url: z.string(),
  results: z.array(ResultFact),
  /** The most frequent errors, if there are several. */
  errors: maybe(first(3, z.object({ message: Message, results: z.int(), runId: z.string() }))),
  /** Lasting changes of the duration. */
  durationSteps: maybe(z.array(z.string())),
})
type Given = z.input<typeof HealthFacts>

/** @param shown - the part of the strip to list */
export function healthFacts(test: TestDetail, shown: TestDetail['strip']): Given {
  const { since, quarantine, lastFailure, variants, variantCount, errors, renamedFrom } = test
  const [earlier] = renamedFrom
  const details = test.quarantines.find(({ id }) => id === quarantine?.id)
  return {
    test: testFact(test),
    health: test.health,
    reason: test.reason,
    since,
    advice: inWordsOf('tools', test.advice),
    rerunCommand: commandToType(test.rerunCommand),
    quarantine: quarantine && {
      quarantineId: quarantine.id,
      status: quarantine.status,
      mode: quarantine.mode,
      until: quarantine.expiresAt,
      reason: details?.reason,
      owner: details?.owner,
      issueUrl: details?.issueUrl,
    },
    lastFailure,
    failingSince: failingSince(test.strip),
    totals: totalsOf(test.strip),
    failures: {
      last30Days: test.failures,
      failedRuns: test.blockedRuns,
      people: test.blockedPeople,
      sharePercent: Math.round(test.failureRate * 1_000) / 10,
    },
    renamedFrom: earlier && {
      testId: earlier.testId,
      test: testName(earlier),
      howToJoin: `A person joins the histories with \`assay tests merge ${earlier.testId} ${test.testId}\`.`,
    },
    variants:
      variants.length > 1
        ? `${variants.length < variantCount ? `${variantCount}: ` : ''}${variants.map((variant) => variant || '(none)').join(', ')}`
        : undefined,
    url: test.url,
    results: shown.map(resultFact),
    errors:
      errors.length > 1
        ? errors.map(({ message, results, latestRunId }) => ({
            message: message ?? '(no message)',
            results,
            runId: latestRunId,
          }))
        : undefined,
    durationSteps: test.steps.map(
      ({ at, beforeMs, afterMs }) => `${at.slice(0, 10)}: ${Math.round(beforeMs)} -> ${Math.round(afterMs)} ms`,
    ),
  }
}

const testFact = ({
  testId,
  variant,
  file,
  ...names
}: Pick<TestSummary, 'testId' | 'variant' | 'suite' | 'name' | 'file'>) => ({
  testId,
  test: testName(names),
  variant,
  file,
})

const resultFact = ({ runId, status, outage, branch, commit, at, durationMs }: z.infer<typeof StripResult>) => ({
  runId,
  status,
  outage: outage !== null && (status === 'failed' || status === 'muted') ? outage : undefined,
  branch,
  commit,
  at,
  milliseconds: durationMs === null ? null : Math.round(durationMs),
})

function totalsOf(strip: TestDetail['strip']) {
  const count = (wanted: z.infer<typeof StripResult>['status']) =>
    strip.filter(({ status }) => status === wanted).length
  const [failed, muted, retried] = [count('failed'), count('muted'), count('retried')]
  return { runs: strip.length, passed: count('passed') + retried, failed, muted, retried }
}

/** @param strip - newest first */
function failingSince(strip: TestDetail['strip']): Given['failingSince'] {
  const good = strip.findIndex(({ status }) => status === 'passed' || status === 'retried')
  const row = good === -1 ? strip : strip.slice(0, good)
  const oldest = row.at(-1)
  return oldest && { runId: oldest.runId, commit: oldest.commit, at: oldest.at, runs: row.length }
}

/** The results of a test that Assay has not judged. */
export function historyFacts({ test, url, results, since, totals }: Extract<TestHistory, { kind: 'history' }>): Given {
  return {
    test: { ...test, test: testName(test) },
    failingSince: since && { runId: since.runId, commit: since.commitSha, at: since.createdAt, runs: since.runs },
    totals: {
      runs: totals.runs,
      passed: totals.passed,
      failed: totals.failed,
      retried: totals.flaky,
    },
    url,
    results: results.map(({ runId, status, branch, commitSha, createdAt, durationMs, flaky, muted, message }) => ({
      runId,
      status: muted ? 'muted' : flaky && status === 'passed' ? 'retried' : status,
      branch,
      commit: commitSha,
      at: createdAt,
      milliseconds: durationMs === null ? null : Math.round(durationMs),
      message,
    })),
  }
}

export const listedTest = (test: TestSummary): z.input<typeof ListedTest> => ({
  ...testFact(test),
  health: test.health,
  failures: test.failures,
  impact: test.impact,
  quarantine: test.quarantine ? `${test.quarantine.status}, ${test.quarantine.mode}` : undefined,
})

export const listedTestOfRun = (
  test: Extract<TestHistory, { kind: 'tests' }>['tests'][number],
): z.input<typeof ListedTest> => ({ testId: test.testId, test: testName(test), file: test.file })
