import type { Verification } from '../core/verifications/schema.ts'
import type { Evidence, FailedTest, VerificationRun } from '../engines/verdicts/schema.ts'
import type { LocalTestFile } from './local-test-file.ts'
import { cleanName, shorten } from './sanitize.ts'

interface Wording {
  /** What to do with an accepted test. */
  keep: string
  /** How to verify a changed test. */
  again: string
  /** The argument that names the code under test. */
  target: string
}

/** Says what to do after a verdict. docs/verification.md explains each verdict. */
export function adviceFor(
  { verdict, evidence }: Pick<Verification, 'verdict' | 'evidence'>,
  { keep, again, target }: Wording,
): string {
  const rejected = evidence?.extendsCommitted
    ? 'Do not keep what you changed in the test file as it is.'
    : 'Do not keep the test as it is.'
  switch (verdict) {
    case 'accepted':
      return keep
    case 'no_gain':
      return `${rejected} ${gainOf(evidence, target)} Then ${again}.`
    case 'flaky':
      return `${rejected} Remove its dependence on time, chance, order and shared state, then ${again}. Do not add retries.`
    case 'not_built':
      return `Fix the test with the help of the runner's output, then ${again}.`
    default:
      return `The code may be wrong: look at ${suspect(evidence)} and find out whether the code or the test is right. Until then keep the test, and do not change it to pass.`
  }
}

const openNames: Readonly<Record<NonNullable<Evidence['notRun']>[number], string>> = {
  comparison: 'the comparison with the other tests',
  suite: 'the runs with the other tests',
  repeats: 'the repeats',
  mutants: 'the mutants',
}

/** "Provisional: accepted. Still open: the repeats, the mutants." The final verdict has the rest. */
export function provisionalLine({ verdict, evidence }: Pick<Verification, 'verdict' | 'evidence'>): string {
  const open = (evidence?.notRun ?? []).map((name) => openNames[name])
  return `Provisional: ${verdict ?? 'no verdict'}.${open.length > 0 ? ` Still open: ${open.join(', ')}.` : ''}`
}

/** Says what to do while a provisional verdict can still change. */
export function provisionalAdvice(
  { verdict, evidence }: Pick<Verification, 'verdict'> & { evidence: Pick<Evidence, 'reason' | 'notRun'> | null },
  { keep, wait, advice }: { keep: string; wait: string; advice: string },
): string {
  const open = evidence?.notRun ?? []
  if (verdict === 'accepted') {
    const risk = open.includes('suite') ? 'flaky, or to fail with the other tests' : 'flaky'
    return `The verdict is provisional: the test can still turn out to be ${risk}. ${keep}, and continue with your work. ${wait}`
  }
  const improving = open.filter(
    (name) => name === 'mutants' || (name === 'comparison' && evidence?.reason === 'nothing_new'),
  )
  if (verdict === 'no_gain' && improving.length > 0) {
    const names = improving.map((name) => (name === 'mutants' ? 'the mutants that are left' : openNames[name]))
    return `The verdict is provisional: ${names.join(' and ')} can improve it. ${wait}`
  }
  return `The verdict is provisional, but more runs cannot improve it, so do not wait for them. ${advice}`
}

/** Says what to do with an accepted test of a checkout. */
export const keepLocal = ({ filePath }: Pick<LocalTestFile, 'filePath'>, isCommitted = false) =>
  isCommitted ? `Keep ${path(filePath)}. It is committed already.` : `Keep the test: commit ${path(filePath)}.`

export const noVerdict = 'There is no verdict. Unless the reason names the test, the test is not the cause.'

function gainOf(evidence: Evidence | null, target: string): string {
  if (evidence?.reason === 'no_target') return `Import the code under test, or name it with ${target}.`
  if (evidence?.reason === 'nothing_new') {
    return evidence.extendsCommitted
      ? 'Test code that the tests of the commit do not reach, or undo the change.'
      : 'Test code that the other tests do not reach, or drop the test.'
  }
  const survived = evidence?.mutation?.survived ?? 0
  return survived > 0 ? 'Assert the behavior that the surviving mutants change.' : 'Fix what the reason names.'
}

/** The place where the code failed, or else the code under test. */
function suspect(evidence: Evidence | null): string {
  const failure = evidence?.runs.flatMap(({ failures }) => failures).find(({ file }) => file !== null)
  const target = evidence?.target
  const about = target ? ` and ${path(target.path)}${target.startLine ? `:${target.startLine}` : ''}` : ''
  return failure?.file ? `${path(failure.file)}:${failure.line ?? '?'}${about}` : 'the code under test'
}

const path = (value: string) => shorten(cleanName(value), 300)

const address = /\b0x[\da-f]{2,}/gi
const temporaryFile = /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/[^\s'"`:)\],]+/g

/** Merges failures of the same test whose messages differ only in memory addresses and names of temporary files. */
export function differentFailures(runs: readonly VerificationRun[]): (FailedTest & { count: number })[] {
  const failures = runs.flatMap((run) => run.failures)
  const same = Map.groupBy(failures, ({ test, message, line }) => JSON.stringify([test, lasting(message), line]))
  return [...same.values()].flatMap((alike) =>
    alike.slice(0, 1).map((failure) => ({ ...failure, count: alike.length })),
  )
}

const lasting = (message: string | null) => message?.replaceAll(address, '0x').replaceAll(temporaryFile, '/tmp/')
