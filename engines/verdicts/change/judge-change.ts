import { isDocumentation } from '../../languages/path-rules.ts'
import { counted } from '../worth.ts'
import { compareSides } from './compare-sides.ts'
import { countTransitions, decidingOutput, hasTests, shownTestsOf, sideResult, worstFirst } from './describe-tests.ts'
import { judgeBuild, judgeFailures, judgeFlaky, lastingProblem, said as saidOf } from './failures-of-head.ts'
import type { ChangeFacts } from './facts.ts'
import { type ChangeJudgement, judgement, type Observed } from './judgement.ts'
import { changeMutation, judgedMutants } from './mutants.ts'
import { changedLines, changesOnlyComments } from './patch-coverage.ts'
import { goneTests } from './gone-tests.ts'
import { followingText, saysFollowing } from './gaps-of-tests.ts'
import { judgeProof } from './proof.ts'
import { isSupport, provesChange } from './proving-tests.ts'
import type { ChangeEvidence, ChangeVerdict } from './schema.ts'
import { disguisedRemarks } from './disguised-remarks.ts'
import { titles } from './sentences.ts'
import { supportRemarks } from './support.ts'
import { testsOfChange } from './tests-of-change.ts'

export interface JudgedChange {
  verdict: ChangeVerdict
  /** The caller adds the command and the time that everything took. */
  evidence: Omit<ChangeEvidence, 'command' | 'durationMs'>
}

const maxWarnings = 30
const maxTextLength = 2_000

/**
 * Judges whether the tests prove a change. The most serious finding decides: a head that is not built, then broken, new
 * failing and flaky tests, then what is missing for a proof.
 */
export function judgeChange(facts: ChangeFacts): JudgedChange {
  const compared = compareSides(facts)
  const all = testsOfChange(compared, facts)
  // Passing tests are not new just because the results of the base are not known.
  const known = all.filter(
    ({ base, head, isOfChange }) =>
      compared.isBaseKnown || base !== null || isOfChange !== null || head?.status !== 'passed',
  )
  const sides = { ...compared, unknown: compared.unknown + all.length - known.length }
  const tests = worstFirst(known)
  const lines = changedLines(facts)
  const mutation = changeMutation(facts)
  const observed: Observed = { facts, sides, tests, lines, mutation }
  const { verdict, reason, summary, missing } = decide(observed)
  const kinds = facts.files.map(({ kind }) => kind)
  const code = kinds.filter((kind) => kind === 'code').length
  const other = kinds.filter((kind) => kind === 'other').length
  return {
    verdict,
    evidence: {
      reason,
      summary: cut(summary),
      missing: missing.map(cut),
      base: sideResult(facts.base),
      head: sideResult(facts.head),
      files: { code, tests: kinds.length - code - other, other },
      counts: countTransitions(tests),
      tests: shownTestsOf(tests),
      patch: lines.patch,
      mutation,
      notRun: [...facts.notRun],
      output: decidingOutput(facts),
      warnings: [...new Set([...remarks(observed, verdict), ...facts.warnings])].slice(0, maxWarnings).map(cut),
    },
  }
}

function decide(observed: Observed): ChangeJudgement {
  return (
    judgeBuild(observed) ??
    judgeFailures(observed) ??
    judgeFlaky(observed) ??
    nothingToProve(observed) ??
    judgeProof(observed)
  )
}

function nothingToProve(observed: Observed): ChangeJudgement | null {
  const { files } = observed.facts
  const code = files.filter(({ kind }) => kind === 'code')
  const found = (reason: string, summary: string) => {
    const removed = removedTestsOf(observed)
    return judgement('no_code_changed', reason, [summary, ...removed].join(' '), removed)
  }
  if (files.length === 0) return found('nothing_changed', 'The change has no files, so there is nothing to prove.')
  if (code.length === 0) {
    const other = files.filter(({ kind }) => kind === 'other')
    const tests = files.length - other.length
    const shown = files.slice(0, 3).map(({ path }) => path)
    const names = `${shown.join(', ')}${files.length > shown.length ? ` and ${files.length - shown.length} more` : ''}`
    if (other.length === 0 && files.every(({ change }) => change === 'deleted')) {
      return found('only_tests', `The change only deletes tests and their support files: ${names}.`)
    }
    if (other.length === 0) {
      return found(
        'only_tests',
        `The change concerns only tests and their support files: ${names}. They pass, and there is no changed code to prove.`,
      )
    }
    return found(
      tests === 0 ? 'only_other_files' : 'only_tests_and_other_files',
      `The change concerns only ${tests === 0 ? '' : 'tests, '}documentation, configuration and other files that are not code: ${names}. There is no changed code to prove.`,
    )
  }
  const isMoved = code.every(
    ({ change, lines, removed = [] }) => change === 'changed' && lines.length + removed.length === 0,
  )
  if (isMoved)
    return found(
      'only_renamed',
      `The change only renames ${counted(code.length, 'file')} of code or changes their modes, and no line of code.`,
    )
  if (changesOnlyComments(observed.facts)) {
    return found(
      'only_comments',
      'The changed lines of code are only comments and blank lines, so there is nothing to prove.',
    )
  }
  return null
}

function removedTestsOf(observed: Observed): string[] {
  const { removed } = goneTests(observed)
  return removed.length === 0
    ? []
    : [`The change removes or skips ${counted(removed.length, 'test')} while the code stays: ${titles(removed)}.`]
}

/** Returns sentences about what does not decide, but matters to a reader. */
function remarks(observed: Observed, verdict: ChangeVerdict): string[] {
  const { facts, sides, tests, lines } = observed
  const { head, base } = facts
  const said: string[] = []
  const flaky = tests.filter((test) => test.transition === 'flaky' && (test.isOfChange === null || verdict !== 'flaky'))
  if (flaky.length > 0) {
    said.push(`${counted(flaky.length, 'test')} had different results in runs of the same code: ${titles(flaky)}.`)
  }
  const both = tests.filter(({ transition }) => transition === 'fails_both')
  if (both.length > 0)
    said.push(
      `${counted(both.length, 'test')} failed before the change and still ${both.length === 1 ? 'fails' : 'fail'}: ${titles(both)}.`,
    )
  if (base.problem !== null || (base.runs.length > 0 && !hasTests(base))) {
    const why = base.problem ?? base.runs.find((run) => run.problem !== null)?.problem
    said.push(
      `The tests gave no result without the change, so results before it are not known.${why ? ` ${saidOf(why)}` : ''}`,
    )
  } else if (base.runs.length === 0)
    said.push('The tests did not run without the change, so results before it are not known.')
  if (sides.unknown > 0) {
    said.push(
      `${counted(sides.unknown, 'test')} could not be compared, because the reports of one side are incomplete.`,
    )
  }
  if (verdict === 'proved') {
    const following = followingText(tests, facts.textTests)
    if (following.length > 0)
      said.push(
        `${saysFollowing(following)} So ${following.length === 1 ? 'it proves' : 'they prove'} nothing about the change.`,
      )
    if (facts.intent === 'change' && !isTried(facts))
      said.push('No mutants were tried, so it is not known whether the tests check what the changed lines do.')
    const proofless = tests.filter(({ isOfChange, withoutChange }) => isOfChange !== null && withoutChange === 'passes')
    if (proofless.length > 0 && facts.intent === 'change') {
      said.push(
        `${titles(proofless)} ${proofless.length === 1 ? 'passes' : 'pass'} without the change too, which proves nothing about it.`,
      )
    }
    const edited = tests.filter(
      (test) => test.isOfChange === 'changed' && test.withoutChange !== 'passes' && provesChange(test, observed),
    )
    if (facts.intent === 'same' && edited.length > 0) {
      said.push(
        `The change edits ${titles(edited)}, which ${edited.length === 1 ? 'does' : 'do'} not run on the code before it. Check that no expectation changed.`,
      )
    }
  }
  const { excused, removed } = goneTests(observed)
  if (excused.length > 0)
    said.push(
      `${counted(excused.length, 'test')} went with the code, or got a new name or new parameters: ${titles(excused)}.`,
    )
  if (removed.length > 0 && verdict !== 'unproved' && verdict !== 'no_code_changed') {
    said.push(`The change removes or skips ${counted(removed.length, 'test')}: ${titles(removed)}.`)
  }
  said.push(...supportRemarks(observed))
  const hasCode = facts.files.some(({ kind }) => kind === 'code')
  if (hasCode && lines.patch === null && hasTests(head)) {
    said.push('The runner measured no coverage, so it is not known whether tests run the changed lines.')
  }
  const { patch, notLoaded } = lines
  if (patch !== null && patch.unmeasured.length > notLoaded.length) {
    const files = patch.unmeasured.filter((path) => !notLoaded.includes(path))
    said.push(
      `Coverage does not measure ${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}.`,
    )
  }
  const data = facts.files.filter((file) => file.kind === 'other' && isSupport(file) && !isDocumentation(file.path))
  if (verdict === 'proved' && data.length > 0) {
    const names = data.slice(0, 3).map(({ path }) => path)
    said.push(
      `The change also edits ${names.join(', ')}${data.length > 3 ? ` and ${data.length - 3} more files` : ''}, which ${data.length === 1 ? 'is' : 'are'} not code. The proof says nothing about ${data.length === 1 ? 'it' : 'them'}.`,
    )
  }
  said.push(...disguisedRemarks(observed, verdict))
  const deleted = facts.files.flatMap(({ path, kind, change }) => (kind === 'code' && change === 'deleted' ? path : []))
  if (verdict === 'proved' && deleted.length > 0) {
    said.push(
      `The change deletes ${deleted.slice(0, 3).join(', ')}${deleted.length > 3 ? ` and ${deleted.length - 3} more files` : ''}. The proof does not show that nothing needs ${deleted.length === 1 ? 'it' : 'them'}, such as a program that loads all files of a folder.`,
    )
  }
  const vendored = facts.files.flatMap(({ path, kind, isVendored }) => (isVendored && kind === 'other' ? path : []))
  if (vendored.length > 0) {
    said.push(
      `${counted(vendored.length, 'third-party file')} changed, such as ${vendored[0]}. Assay takes this for another version of third-party code, and did not check whether tests notice.`,
    )
  }
  const problem = head.runs.find((run) => run.problem !== null)?.problem
  if (problem && hasTests(head) && lastingProblem(head) === null) {
    said.push(`One of the runs had a problem that another did not have: ${problem.message.slice(0, 300)}`)
  }
  return said
}

/** Whether other code was tried in the place of the changed code. A file that is restored as a whole shows only itself. */
function isTried({ files, mutation, restored }: ChangeFacts): boolean {
  const tried = restored.filter(({ outcome }) => outcome !== 'invalid')
  if (judgedMutants(mutation).judged > 0 || tried.some(({ kind }) => kind !== 'file')) return true
  const paths = new Set(tried.map(({ path }) => path))
  return files.every(({ path, kind, change }) => kind !== 'code' || change === 'deleted' || paths.has(path))
}

const cut = (text: string) => (text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text)
