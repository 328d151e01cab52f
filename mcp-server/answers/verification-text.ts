import type { JudgedMutant } from '../../engines/mutation/schema.ts'
import type { FailedTest } from '../../engines/verdicts/schema.ts'
import { fence } from '../../client/sanitize.ts'
import type { Form } from './output.ts'
import { type VerificationFacts, verificationProgress } from './verification-facts.ts'
import { counted, joined, type Line } from './words.ts'

/** How verify_test writes a verification as text. Survivors that do not fit are left out. */
export const verificationForm: Form<VerificationFacts> = {
  render: (facts) => {
    const { verificationId, filePath, target, commitSha, branch, warnings = [], output, sameAs } = facts
    const symbol = target?.symbol === undefined ? '' : `${target.symbol} in `
    const about = target ? ` Code under test: ${symbol}${target.path}${linesOf(target)}.` : ''
    const on = joined(', ', commitSha && `commit ${commitSha}`, branch && `branch ${branch}`)
    return [
      headline(facts),
      `Verification ${verificationId} of ${filePath}${on && `, ${on}`}.${about}`,
      ...renderRuns(facts),
      ...renderMutants(facts),
      ...(output === undefined ? [] : ["The end of the runner's output:", fence(output)]),
      ...warnings.map((warning) => `Warning: ${warning}`),
      sameAs && `Measured before, by verification ${sameAs}: same test, same code.`,
    ]
  },
  list: ({ survivors = [], ...facts }) => ({
    count: survivors.length,
    keep: (count) => ({
      ...facts,
      survivors: survivors.slice(0, count),
      cut: `Only ${count} of ${survivors.length} survivors fit into the answer. Once the test detects these, verify again to see the others.`,
    }),
  }),
}

function headline({ status, verdict, reason, summary, error, progress }: VerificationFacts): string {
  if (verdict) return `${verdict} (${reason}): ${summary}`
  if (status === 'failed') return `No verdict: ${error ?? 'no reason was recorded'}`
  if (status === 'completed' || status === 'cancelled') return `No verdict: the verification was ${status}.`
  const { done, total, message } = verificationProgress({ status, progress: progress ?? null })
  return `No verdict yet, ${status}: step ${Math.floor(done) + 1} of ${total}, ${message}.`
}

const linesOf = ({ startLine, endLine }: NonNullable<VerificationFacts['target']>) =>
  startLine === undefined ? '' : `:${startLine}${endLine === undefined ? '' : `-${endLine}`}`

function renderRuns(facts: VerificationFacts): Line[] {
  const { runs, command, failures = [], moreFailures = 0, broke = [], newLines } = facts
  const counts =
    runs &&
    joined(
      ', ',
      `${runs.alone.passed} of ${runs.alone.total} alone`,
      runs.suite.total > 0 && `${runs.suite.passed} of ${runs.suite.total} with all tests`,
    )
  return [
    counts && `Runs that passed: ${counts}.${command === undefined ? '' : ` By hand: ${command}`}`,
    ...failures.map(renderFailure),
    moreFailures > 0 &&
      `${counted(moreFailures, 'other failure')}. Fix these first; running the test by hand shows all of them.`,
    broke.length > 0 && `Tests that this test breaks: ${broke.join(', ')}`,
    newLines && renderNewLines(newLines),
  ]
}

function renderNewLines({ target, project, projectBranches }: NonNullable<VerificationFacts['newLines']>): string {
  if (project + projectBranches === 0) return 'The test reaches no line and no branch that other tests do not reach.'
  const reached = `${counted(project, 'line')} and ${counted(projectBranches, 'branch', 'branches')} of the project`
  return `Reached by no other test: ${reached}${target === '' ? '' : `; of the target, line ${target}`}.`
}

function renderFailure({ test, kind, message, file, line }: FailedTest): string {
  const place = file === null ? '' : ` at ${file}${line === null ? '' : `:${line}`}`
  return `Failed (${kind})${place}, ${test}: ${message ?? 'no message'}`
}

function renderMutants({ mutants, survivors = [], cut }: VerificationFacts): Line[] {
  if (!mutants) return []
  const { tried, killed, crashed, timedOut, survived } = mutants
  const broken = crashed + timedOut > 0 ? `, ${crashed + timedOut} detected by no assertion (crash or hang)` : ''
  return [
    `Mutants (small changes of the code): ${killed} of ${tried} killed${broken}, ${survived} survived.`,
    ...(survivors.length > 0
      ? ['To assert next, because the test does not detect:', ...survivors.map(renderSurvivor)]
      : []),
    survived > survivors.length && !cut && `${survivors.length} of ${survived} survivors are listed.`,
  ]
}

const renderSurvivor = ({ path, line, operator, original, replacement }: JudgedMutant) =>
  `${path}:${line} ${operator}: ${original} -> ${replacement.trim() === '' ? '(nothing)' : replacement}`
