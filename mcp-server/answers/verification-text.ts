import type { JudgedMutant } from '../../engines/mutation/schema.ts'
import type { FailedTest } from '../../engines/verdicts/schema.ts'
import { fence } from '../../client/sanitize.ts'
import type { Form } from './output.ts'
import type { VerificationFacts } from './verification-facts.ts'
import { verificationProgress } from './verification-facts.ts'

/** A verification as text; survivors that do not fit are left out, since each that is told costs a line. */
export const verificationForm: Form<VerificationFacts> = {
  render,
  list: {
    count: ({ survivors = [] }) => survivors.length,
    keep: ({ survivors = [], ...facts }, count) => ({
      ...facts,
      survivors: survivors.slice(0, count),
      cut: `Only ${count} of ${survivors.length} survivors fit into the answer. Verify again once these are killed: the others are told then.`,
    }),
  },
}

function render(facts: VerificationFacts): string {
  const { verificationId, filePath, target, commitSha, branch, warnings = [], output, sameAs } = facts
  const about = target
    ? ` It is about ${target.symbol === undefined ? '' : `${target.symbol} in `}${target.path}${linesOf(target)}.`
    : ''
  const on = [commitSha && `commit ${commitSha}`, branch && `branch ${branch}`].filter(Boolean).join(', ')
  return [
    headline(facts),
    `Verification ${verificationId} of ${filePath}${on && `, ${on}`}.${about}`,
    ...renderRuns(facts),
    ...renderMutants(facts),
    ...(output === undefined ? [] : ['The runner printed last:', fence(output)]),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(sameAs === undefined ? [] : [`Measured before, by verification ${sameAs}: same test, same code.`]),
    facts.note,
    facts.next,
  ].join('\n')
}

function headline({ status, verdict, reason, summary, error, progress }: VerificationFacts): string {
  if (verdict) return `${verdict} (${reason}): ${summary}`
  if (status === 'failed') return `No verdict: ${error ?? 'no reason is known'}`
  if (status === 'completed' || status === 'cancelled') return `No verdict: it was ${status}.`
  const { done, total, message } = verificationProgress({ status, progress: progress ?? null })
  return `No verdict yet, ${status}: step ${Math.floor(done) + 1} of ${total}, ${message}.`
}

const linesOf = ({ startLine, endLine }: NonNullable<VerificationFacts['target']>) =>
  startLine === undefined ? '' : `:${startLine}${endLine === undefined ? '' : `-${endLine}`}`

function renderRuns(facts: VerificationFacts): string[] {
  const { runs, command, failures = [], moreFailures = 0, broke = [], newLines } = facts
  const counts = [
    ...(runs ? [`${runs.alone.passed} of ${runs.alone.total} alone`] : []),
    ...(runs && runs.suite.total > 0 ? [`${runs.suite.passed} of ${runs.suite.total} with all tests`] : []),
  ]
  const byHand = command === undefined ? '' : ` By hand: ${command}`
  return [
    ...(runs ? [`Runs that passed: ${counts.join(', ')}.${byHand}`] : []),
    ...failures.map(renderFailure),
    ...(moreFailures > 0 ? [`${moreFailures} more that differ. Mend these first: running it by hand shows all.`] : []),
    ...(broke.length > 0 ? [`Tests that fail because of it: ${broke.join(', ')}`] : []),
    ...(newLines
      ? [
          newLines.project + newLines.projectBranches === 0
            ? 'It reaches no line and no branch that other tests do not reach.'
            : `Reached by no other test: ${counted(newLines.project, 'line')} and ` +
              `${counted(newLines.projectBranches, 'branch', 'branches')} of the project` +
              `${newLines.target === '' ? '' : `; of the target, line ${newLines.target}`}.`,
        ]
      : []),
  ]
}

const counted = (count: number, one: string, several = `${one}s`) => `${count} ${count === 1 ? one : several}`

function renderFailure({ test, kind, message, file, line }: FailedTest): string {
  const place = file === null ? '' : ` at ${file}${line === null ? '' : `:${line}`}`
  return `Failed (${kind})${place}, ${test}: ${message ?? 'no message'}`
}

function renderMutants({ mutants, survivors = [], cut }: VerificationFacts): string[] {
  if (!mutants) return []
  const { tried, killed, crashed, timedOut, survived } = mutants
  const broken = crashed + timedOut > 0 ? `, ${crashed + timedOut} noticed by no assertion (it threw or hung)` : ''
  return [
    `Small changes of the code: ${killed} of ${tried} killed${broken}, ${survived} survived.`,
    ...(survivors.length > 0 ? ['To assert next, since it does not notice:', ...survivors.map(renderSurvivor)] : []),
    ...(survived > survivors.length && !cut ? [`${survivors.length} of ${survived} survivors are listed.`] : []),
    ...(cut ? [cut] : []),
  ]
}

const renderSurvivor = ({ path, line, operator, original, replacement }: JudgedMutant) =>
  `${path}:${line} ${operator}: ${original} -> ${replacement.trim() === '' ? '(nothing)' : replacement}`
