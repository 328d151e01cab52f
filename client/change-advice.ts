import type { Change } from '../core/changes/schema.ts'
import type { ChangeEvidence } from '../engines/verdicts/change/schema.ts'
import { cleanName, shorten } from './sanitize.ts'

const isCommitId = (name: string) => /^[0-9a-f]{40,64}$/.test(name)

/**
 * Says what a change was compared with: "where `feature` left `main` (1a2b3c4)". Null as long as that is not known.
 *
 * @param branch - the branch of the checkout that was sent; null if it is not known
 */
export function baseInWords(
  { base, baseSha, head }: Pick<Change, 'base' | 'baseSha' | 'head'>,
  branch: string | null,
): string | null {
  if (baseSha === null) return null
  const short = baseSha.slice(0, 7)
  if (base === null || isCommitId(base)) return `the commit ${short}`
  const name = (text: string) => `\`${shorten(cleanName(text), 100)}\``
  const own = branch ?? (head === null || isCommitId(head) ? null : head)
  if (own === base || /[~^]|^HEAD$/.test(base)) return `${name(base)} (${short})`
  return `where ${own === null ? 'the change' : name(own)} left ${name(base)} (${short})`
}

interface Wording {
  /** How to wait for the final verdict. */
  wait: string
  /** How to verify the change once more. */
  again: string
  /** The argument that names where the change begins. */
  base: string
  /** How to verify a commit that was not pushed. */
  unpushed: string
}

const phaseNames: Readonly<Record<ChangeEvidence['notRun'][number], string>> = {
  repeats: 'the repetition of tests',
  without_change: 'the tests of the change without it',
  mutants: 'the mutants',
}

/** "Provisional: unproved. Still open: the mutants." The final verdict has the rest. */
export function provisionalChangeLine({ verdict, evidence }: Pick<Change, 'verdict' | 'evidence'>): string {
  const open = (evidence?.notRun ?? []).map((phase) => phaseNames[phase])
  return `Provisional: ${verdict ?? 'no verdict'}.${open.length > 0 ? ` Still open: ${open.join(', ')}.` : ''}`
}

/** Whether only the phases that did not run are missing. */
const isUnfinished = (evidence: Change['evidence']) => evidence?.reason === 'not_finished'

const isWithoutResult = (evidence: Change['evidence']) => evidence?.reason === 'no_result'

/** ": a test that fails without the change, assertions against the survivors", of what the evidence shows to be missing */
function additions(evidence: Change['evidence'], intent: Change['intent']): string {
  if (evidence === null || isWithoutResult(evidence)) return ''
  const { tests, patch, mutation } = evidence
  const isProved = tests.some(
    ({ isOfChange, withoutChange, transition }) =>
      transition === 'fails_to_passes' ||
      (isOfChange !== null && (withoutChange === 'fails' || withoutChange === 'not_built')),
  )
  const missing = [
    ...(intent === 'change' && !isProved ? ['a test that fails without the change'] : []),
    ...(patch !== null && patch.uncovered.length > 0 ? ['tests for the unproved lines'] : []),
    ...(mutation !== null && mutation.survived > 0 ? ['assertions against the survivors'] : []),
  ]
  return missing.length === 0 ? '' : `: ${missing.join(', ')}`
}

/** Says what to do after a verdict, or while there is none. docs/changes.md explains each verdict. */
export function adviceForChange(
  {
    status,
    verdict,
    isProvisional,
    evidence,
    error,
    intent,
    snapshotId,
  }: Pick<Change, 'status' | 'verdict' | 'isProvisional' | 'evidence' | 'error' | 'intent' | 'snapshotId'>,
  { wait, again, base, unpushed }: Wording,
): string {
  if (status === 'pending' || status === 'running') {
    if (verdict === null || !isProvisional) return `Still ${status}, without a verdict. ${wait}`
    const missing = evidence?.notRun.map((phase) => phaseNames[phase]) ?? []
    const left = missing.length > 0 ? ` Not run yet: ${missing.join(', ')}.` : ''
    const soFar = isUnfinished(evidence)
      ? 'Nothing is missing so far, but the change is not proved yet.'
      : 'This verdict is provisional and can change.'
    return `${soFar}${left} ${wait}`
  }
  if (verdict === null) {
    if (status === 'cancelled') return `The verification was cancelled. To get a verdict, ${again}.`
    if (error?.code === 'no_commit') return `There is no verdict yet. Make the first commit, then ${again}.`
    if (error?.code === 'nothing_to_compare') {
      return `There is no verdict, because there is nothing to verify. Give another ${base}, then ${again}.`
    }
    const isUnpushed = error?.code === 'commit_not_found' && snapshotId === null
    const fix =
      error?.code === 'base_not_found'
        ? `Give another ${base}`
        : isUnpushed
          ? `Push the commit, or ${unpushed}`
          : 'Fix the cause'
    return `There is no verdict, which says nothing about the change. ${fix}, then ${again}.`
  }
  switch (verdict) {
    case 'proved':
      return `The tests prove the change. Commit exactly this state: what changes afterwards is not proved.`
    case 'unproved':
      if (isUnfinished(evidence)) {
        return `Nothing is missing in what ran, but the time was over before all of it did. Allow more with the project's timeoutSeconds, then ${again}.`
      }
      if (evidence?.reason === 'install_failed') {
        return `The project's dependencies cannot be installed, with or without the change; the output says why. Make the install work, then ${again}.`
      }
      return `Do not call the change done. Add what is missing${additions(evidence, intent)}. Then ${again}.`
    case 'broken':
      return `Read the failing tests and the code at their places, and fix the cause. Do not weaken or skip tests. Then ${again}.`
    case 'not_built':
      return `Fix the error in the output, then ${again}.`
    case 'flaky':
      return `Remove the dependence of the flaky tests on time, chance, order and shared state, then ${again}. Do not add retries.`
    case 'no_code_changed':
      break
  }
  if (evidence !== null && evidence.missing.length > 0)
    return `There is no changed code to prove, but the code has lost tests. Restore them, or say why nobody needs them.`
  return `There is no changed code to prove. If you expected some, check ${base} and what was sent.`
}
