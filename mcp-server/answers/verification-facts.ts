import { z } from 'zod'
import {
  type Verification,
  VerificationPhase,
  VerificationProgress,
  VerificationStatus,
} from '../../core/verifications/schema.ts'
import { JudgedMutant } from '../../engines/mutation/schema.ts'
import { type Evidence, FailedTest, Verdict, VerificationTarget } from '../../engines/verdicts/schema.ts'
import { cleanLine, cleanName, cleanText, shorten } from '../../client/sanitize.ts'
import { dataNotice } from './output.ts'

const RunCounts = z.object({ passed: z.int(), total: z.int() })

/** What a verdict rests on, as far as it helps to write the next version of the test. */
export const VerificationFacts = z.object({
  verificationId: z.string(),
  projectId: z.string(),
  generatedTestId: z.string().optional(),
  filePath: z.string(),
  status: VerificationStatus,
  progress: VerificationProgress.optional(),
  verdict: Verdict.optional(),
  /** What decided, as a code, and in words. */
  reason: z.string().optional(),
  summary: z.string().optional(),
  /** Why there is no verdict. */
  error: z.string().optional(),
  target: VerificationTarget.optional(),
  branch: z.string().optional(),
  commitSha: z.string().optional(),
  command: z.string().optional(),
  /** Of the test by itself, and together with the project's other tests. */
  runs: z.object({ alone: RunCounts, suite: RunCounts }).optional(),
  failures: z.array(FailedTest).optional(),
  /** Others that differ from these. */
  moreFailures: z.int().optional(),
  /** Tests of the project that fail because of it. */
  broke: z.array(z.string()).optional(),
  newLines: z.object({ target: z.string(), project: z.int(), projectBranches: z.int() }).optional(),
  mutants: z
    .object({ tried: z.int(), killed: z.int(), crashed: z.int(), timedOut: z.int(), survived: z.int() })
    .optional(),
  /** Changes that the test did not notice: what to assert next. */
  survivors: z.array(JudgedMutant).optional(),
  cut: z.string().optional(),
  /** The end of what the runner printed, where that says why. */
  output: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  /** The verification that measured it, where this is the same test on the same code. */
  sameAs: z.string().optional(),
  note: z.string(),
  next: z.string(),
})
export type VerificationFacts = z.infer<typeof VerificationFacts>

const phases = VerificationPhase.options

/** Progress as MCP wants it, a number that only rises. */
export function verificationProgress({ status, progress }: Pick<Verification, 'status' | 'progress'>) {
  const total = phases.length
  if (!progress) return { done: 0, total, message: status === 'pending' ? 'waiting for its turn' : 'starting' }
  const { phase, done, total: runs } = progress
  const share = runs > 0 ? Math.min(1, done / runs) : 0
  return {
    done: Number((phases.indexOf(phase) + share).toFixed(3)),
    total,
    message: runs > 0 ? `${phase}: ${done} of ${runs} runs` : phase,
  }
}

export function verificationFacts(verification: Verification): VerificationFacts {
  const { id, projectId, generatedTestId, status, progress, verdict, error, evidence, sameAs } = verification
  return {
    verificationId: id,
    projectId,
    ...(generatedTestId === null ? {} : { generatedTestId }),
    filePath: path(verification.filePath),
    status,
    ...(progress ? { progress } : {}),
    ...(verdict ? { verdict } : {}),
    ...(error ? { error: `${cleanLine(error.code)}: ${shorten(cleanLine(error.message), 1_500)}` } : {}),
    ...(verification.branch === null ? {} : { branch: path(verification.branch) }),
    ...(verification.commitSha === null ? {} : { commitSha: verification.commitSha }),
    ...(sameAs === null ? {} : { sameAs }),
    ...(evidence ? evidenceFacts(evidence, verdict) : {}),
    note: dataNotice,
    next: nextStep(verification),
  }
}

const mostFailures = 3
const mostNames = 10

function evidenceFacts(evidence: Evidence, verdict: Verdict | null): Partial<VerificationFacts> {
  const { target, command, coverage, mutation, runs, warnings } = evidence
  const different = differentFailures(evidence)
  const failures = different.slice(0, mostFailures).map(failureFact)
  const broke = [...new Set(runs.flatMap((run) => run.broke))].slice(0, mostNames).map((name) => line(name, 100))
  return {
    reason: line(evidence.reason, 60),
    summary: line(evidence.summary, 1_000),
    ...(target ? { target: targetFact(target) } : {}),
    ...(command === null ? {} : { command: line(command, 300) }),
    ...(runs.length > 0 ? { runs: { alone: countRuns(evidence, 'alone'), suite: countRuns(evidence, 'suite') } } : {}),
    ...(failures.length > 0 ? { failures } : {}),
    ...(different.length > failures.length ? { moreFailures: different.length - failures.length } : {}),
    ...(broke.length > 0 ? { broke } : {}),
    ...(coverage
      ? {
          newLines: {
            target: shorten(coverage.newTargetLines, 200),
            project: coverage.newProjectLines,
            projectBranches: coverage.newProjectBranches,
          },
        }
      : {}),
    ...(mutation ? { mutants: mutation, survivors: mutation.survivors.map(survivorFact) } : {}),
    ...(verdict === 'not_built' && evidence.output !== '' ? { output: endOf(cleanText(evidence.output), 1_500) } : {}),
    ...(warnings.length > 0 ? { warnings: warnings.slice(0, 5).map((warning) => line(warning, 200)) } : {}),
  }
}

function countRuns({ runs }: Evidence, kind: 'alone' | 'suite') {
  const ofKind = runs.filter((run) => run.kind === kind)
  const passed = ofKind.filter(({ outcome, failures, broke }) =>
    // With the others it passes where it is not its own tests that fail.
    kind === 'alone' ? outcome === 'passed' : outcome !== 'timeout' && failures.length + broke.length === 0,
  )
  return { passed: passed.length, total: ofKind.length }
}

/** A test that fails in each of ten runs in the same words fails once for whoever reads it. */
function differentFailures({ runs }: Evidence): FailedTest[] {
  const seen = new Map(
    runs.flatMap(({ failures }) =>
      failures.map((failure) => [JSON.stringify([failure.test, failure.message, failure.line]), failure] as const),
    ),
  )
  return [...seen.values()]
}

function failureFact({ test, kind, message, file, line: where }: FailedTest): FailedTest {
  return {
    test: line(test, 150),
    kind,
    message: message === null ? null : line(message, 500),
    file: file === null ? null : path(file),
    line: where,
  }
}

const targetFact = (target: VerificationTarget): VerificationTarget => ({
  ...target,
  path: path(target.path),
  ...(target.symbol === undefined ? {} : { symbol: shorten(cleanName(target.symbol), 200) }),
})

const survivorFact = (mutant: JudgedMutant): JudgedMutant => ({
  ...mutant,
  path: path(mutant.path),
  original: line(mutant.original, 120),
  replacement: line(mutant.replacement, 120),
})

const path = (value: string) => shorten(cleanName(value), 300)
const line = (value: string, longest: number) => shorten(cleanLine(value), longest)

/** The reason of a failure stands last. */
function endOf(text: string, bytes: number): string {
  let end = text.trimEnd()
  while (Buffer.byteLength(JSON.stringify(end)) > bytes) end = end.slice(Math.max(1, Math.ceil(end.length / 8)))
  return end.length < text.trimEnd().length ? `…${end}` : end
}

function nextStep({ id, status, verdict, evidence, ...verification }: Verification): string {
  const again = 'call verify_test again'
  const mended = verification.generatedTestId === null ? again : `${again}, with filePath and code of what you changed`
  switch (status) {
    case 'pending':
    case 'running':
      return `Still ${status}. Call verify_test with verificationId ${id} to go on waiting; it goes on by itself meanwhile.`
    case 'cancelled':
      return `Somebody cancelled it. To have a verdict, ${again}.`
    case 'failed':
      return `There is no verdict, through no fault of the test unless it says so. Mend what it names, then ${again}.`
  }
  switch (verdict) {
    case 'accepted':
      return `Keep the test: it belongs into ${path(verification.filePath)}.`
    case 'no_gain':
      return `Do not keep it as it is. ${adviceFor(evidence)} Then ${mended}.`
    case 'flaky':
      return `Do not keep it as it is. Take out time, chance, order and what it leaves behind, then ${mended}. Retrying is no cure.`
    case 'not_built':
      return `Mend the test by what the runner says, then ${mended}.`
    default:
      return `The code may be wrong: look at ${suspect(evidence)} and find out which is right, the code or the test. Until then keep the test, and do not bend it to pass.`
  }
}

function adviceFor(evidence: Evidence | null): string {
  if (evidence?.reason === 'no_target') return 'Import what it is about, or name that by targetPath.'
  if (evidence?.reason === 'nothing_new') return 'Test what the project’s tests leave out, or drop it.'
  const survived = evidence?.mutation?.survived ?? 0
  return survived > 0 ? 'Assert what the surviving changes alter.' : 'Do what the reason says.'
}

/** Where the code failed, else what the test is about. */
function suspect(evidence: Evidence | null): string {
  const failure = evidence?.runs.flatMap(({ failures }) => failures).find(({ file }) => file !== null)
  const target = evidence?.target
  const about = target ? ` and ${path(target.path)}${target.startLine ? `:${target.startLine}` : ''}` : ''
  return failure?.file ? `${path(failure.file)}:${failure.line ?? '?'}${about}` : 'the code that it tests'
}
