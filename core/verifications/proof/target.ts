import { beyond } from '../../../engines/verdicts/coverage-gain.ts'
import { inferTargetApart, locateTargetApart } from '../../../engines/verdicts/judge-apart.ts'
import type { Measured } from '../../../engines/verdicts/outcome.ts'
import type { VerificationTarget } from '../../../engines/verdicts/schema.ts'
import { shown } from '../../base/repository-path.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import type { VerificationRow } from '../entity.ts'
import type { Task } from './task.ts'

/**
 * The code that a test tests, and which mutants it is tried against: those of the target that the caller named, those of
 * all code that it reaches, or both for a suggestion, of which only the code of the suggestion decides.
 */
export type WantedTarget = VerificationTarget & { reach: 'target' | 'suggested' | 'all' }

/** Returns which mutants a test is tried against. A generated test has the target of its prompt. */
export function reachOf({
  target,
  suggestionId,
  generatedTestId,
}: Pick<VerificationRow, 'target' | 'suggestionId' | 'generatedTestId'>): WantedTarget['reach'] {
  if (target === null) return 'all'
  return suggestionId === null && generatedTestId === null ? 'target' : 'suggested'
}

/** Prefers code that only the test covers, because a file can contain older tests of other code. */
export async function inferTarget(
  { runner, workspace: { test, paths, original } }: Task,
  alone: Measured | null,
  before: Measured | null,
): Promise<VerificationTarget | null> {
  if (original && alone && before) {
    const added = beyond(alone, before)
    const target = await inferTargetApart(runner, test, paths, added)
    if (target && added.files[target.path]?.covered) return target
  }
  return inferTargetApart(runner, test, paths, alone)
}

/** Gives the symbol of the target its lines at the commit: verdict and advice are about these. */
export async function exactTarget(
  { runner, workspace }: Task,
  target: VerificationTarget,
): Promise<VerificationTarget> {
  const source = target.symbol === undefined ? null : await workspace.read(target.path)
  if (source === null) return target
  const located = await locateTargetApart(runner, target, source)
  if ('target' in located) return located.target
  const names = located.known.map((name) => shown(name)).join(', ')
  const instead =
    names === '' ? 'The file has no functions or classes.' : `The nearest names in the file are: ${names}.`
  const what = `${shown(target.path)} has no function or class named ${shown(target.symbol ?? '')} at this commit.`
  throw new RunFailure(
    'unknown_symbol',
    `${what} ${instead} Omit the symbol to verify the test against the whole file.`,
  )
}
