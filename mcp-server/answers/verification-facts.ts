import { z } from 'zod'
import { Verification } from '../../core/verifications/schema.ts'
import { JudgedMutant } from '../../engines/mutation/schema.ts'
import { Evidence, FailedTest, Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'
import { cleanName, cleanText, shorten } from '../../client/sanitize.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { adviceFor, differentFailures, noVerdict, provisionalAdvice } from '../../client/verification-words.ts'
import { dataNotice, type Form } from './output.ts'
import { first, maybe, untrusted } from './untrusted.ts'
import { counted, joined } from './words.ts'

const Path = untrusted.name(300)
const RunCounts = z.object({ passed: z.int(), total: z.int() })
const code = untrusted.line(120)

/** The parts of a verification that help to write the next version of the test. */
export const VerificationFacts = z.object({
  verdict: maybe(Verdict),
  /** The verdict can still change: `notRun` is open. */
  isProvisional: z.literal(true).optional(),
  /** The reason of the verdict, as a code, and in words. */
  reason: untrusted.line(60).optional(),
  summary: untrusted.line(1_000).optional(),
  status: Verification.shape.status,
  progress: maybe(Verification.shape.progress.unwrap()),
  /** The reason why there is no verdict. */
  error: maybe(untrusted.line(1_600)),
  verificationId: z.string(),
  projectId: z.string(),
  /** The page for people. */
  url: z.string(),
  generatedTestId: maybe(z.string()),
  filePath: Path,
  target: maybe(VerificationTarget.extend({ path: Path, symbol: untrusted.name(200).optional() })),
  branch: maybe(Path),
  commitSha: maybe(z.string()),
  /** Which state of a checkout was sent. */
  state: maybe(untrusted.line(700)),
  command: maybe(untrusted.line(300)),
  /** Runs of the test alone, and together with the project's other tests. */
  runs: z.object({ alone: RunCounts, suite: RunCounts }).optional(),
  failures: maybe(
    z.array(
      FailedTest.extend({
        test: untrusted.line(150),
        message: untrusted.line(500).nullable(),
        file: Path.nullable(),
      }),
    ),
  ),
  /** The number of other failures that differ from these. */
  moreFailures: z.int().optional(),
  /** Tests of the project that this test breaks. */
  broke: maybe(first(10, untrusted.line(100))),
  newLines: z
    .object({
      target: untrusted.text(200),
      /** Lines of the target with newly taken branches. */
      targetBranches: maybe(untrusted.text(200)),
      project: z.int(),
      projectBranches: z.int(),
    })
    .optional(),
  /** `tried` of `found`: killed, crashed, timed out, survived, or invalid. */
  mutants: maybe(
    z.object({
      found: z.int(),
      tried: z.int(),
      killed: z.int(),
      crashed: z.int(),
      timedOut: z.int(),
      survived: z.int(),
      invalid: z.int(),
    }),
  ),
  /** Changes of the code that the test did not detect: what to assert next. */
  survivors: z.array(JudgedMutant.extend({ path: Path, original: code, replacement: code })).optional(),
  cut: maybe(z.string()),
  notRun: Evidence.shape.notRun,
  /** The end of the runner's output, where it explains the verdict. */
  output: z.string().optional(),
  warnings: maybe(z.array(z.string())),
  /** The verification that measured this, for the same test on the same code. */
  sameAs: maybe(z.string()),
  note: z.string(),
  next: z.string(),
})
export type VerificationFacts = z.infer<typeof VerificationFacts>

export function verificationFacts(verification: Verification): VerificationFacts {
  const { id: verificationId, verdict, error, evidence, sameAs } = verification
  return VerificationFacts.parse({
    ...verification,
    verificationId,
    error: error && `${error.code}: ${inWordsOf('tools', error.message)}`,
    ...(evidence ? evidenceFacts(evidence, verdict) : {}),
    isProvisional: verification.isProvisional || undefined,
    note:
      sameAs === null ? dataNotice : `${dataNotice} Measured before, by verification ${sameAs}: same test, same code.`,
    next: nextStep(verification),
  })
}

const maxFailures = 3
const Warnings = first(5, untrusted.line(200))

function evidenceFacts(evidence: Evidence, verdict: Verdict | null) {
  const { reason, summary, target, command, coverage, mutation, runs, warnings, output } = evidence
  const failures = differentFailures(runs)
  const more = failures.length - maxFailures
  const survivors = mutation?.survivors ?? []
  return {
    reason,
    summary: inWordsOf('tools', summary),
    target,
    command,
    runs: runs.length > 0 ? { alone: countRuns(evidence, 'alone'), suite: countRuns(evidence, 'suite') } : undefined,
    failures: failures.slice(0, maxFailures),
    moreFailures: more > 0 ? more : undefined,
    broke: [...new Set(runs.flatMap((run) => run.broke))],
    newLines: coverage
      ? {
          target: coverage.newTargetLines,
          targetBranches: coverage.newTargetBranchLines,
          project: coverage.newProjectLines,
          projectBranches: coverage.newProjectBranches,
        }
      : undefined,
    mutants: mutation,
    survivors: mutation?.survivors,
    cut: joined(
      ' ',
      more > 0 &&
        `${counted(more, 'other failure')} not shown. Fix these first; running the test by hand shows all of them.`,
      mutation &&
        mutation.survived > survivors.length &&
        `${survivors.length} of ${mutation.survived} survivors are listed.`,
    ),
    notRun: evidence.notRun,
    output: verdict === 'not_built' && output !== '' ? endOf(cleanText(output), 1_500) : undefined,
    warnings: Warnings.parse(warnings.map((warning) => inWordsOf('tools', warning))),
  }
}

function countRuns({ runs }: Evidence, kind: 'alone' | 'suite') {
  const ofKind = runs.filter((run) => run.kind === kind)
  const passed = ofKind.filter(({ outcome, failures, broke }) =>
    // Together with other tests it passes if none of its own tests fails.
    kind === 'alone' ? outcome === 'passed' : outcome !== 'timeout' && failures.length + broke.length === 0,
  )
  return { passed: passed.length, total: ofKind.length }
}

/** Runners print the reason of a failure last. */
function endOf(text: string, bytes: number): string {
  let end = text.trimEnd()
  while (Buffer.byteLength(JSON.stringify(end)) > bytes) end = end.slice(Math.max(1, Math.ceil(end.length / 8)))
  return end.length < text.trimEnd().length ? `…${end}` : end
}

function nextStep(verification: Verification): string {
  const { id, status, generatedTestId } = verification
  const again = 'call verify_test again'
  const path = shorten(cleanName(verification.filePath), 300)
  const advice = () =>
    adviceFor(verification, {
      keep: `Keep the test: write it to ${path}.`,
      again: generatedTestId === null ? again : `${again}, with filePath and code of the changed test`,
      target: 'targetPath',
    })
  switch (status) {
    case 'pending':
    case 'running':
      return verification.isProvisional
        ? provisionalAdvice(verification, {
            keep: `Write it to ${path}`,
            wait: `Call verify_test with verificationId ${id} for the final verdict.`,
            advice: advice(),
          })
        : `Still ${status}. Call verify_test with verificationId ${id} to wait again. The verification continues meanwhile.`
    case 'cancelled':
      return `The verification was cancelled. To get a verdict, ${again}.`
    case 'failed':
      return `${noVerdict} Fix the cause, then ${again}.`
    default:
      return advice()
  }
}

/** Leaves out survivors that do not fit. */
export const verificationForm: Form<VerificationFacts> = {
  cut: ({ survivors = [], ...facts }) => ({
    count: survivors.length,
    keep: (count) => ({
      ...facts,
      survivors: survivors.slice(0, count),
      cut: `Only ${count} of ${survivors.length} survivors fit into the answer. Once the test detects these, verify again to see the others.`,
    }),
  }),
}
