import type { ChangedFile, ChangeFacts } from '../../../engines/verdicts/change/facts.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { testTitle } from '../../../engines/verdicts/own-tests.ts'
import type { FetchedBase, FetchedHead } from './fetch-sides.ts'
import { mergeOutcomes } from './outcomes.ts'
import { runSuite, type Side, withFilesOf } from './side.ts'
import type { Task } from './task.ts'

/** An empty module changes nothing. An empty file of another kind may not be valid. */
const canBeEmpty = ({ path, change }: ChangedFile) => change === 'added' && path.endsWith('.py')
const canBeReplaced = ({ path, before, change }: ChangedFile) => change === 'changed' && before === path

/**
 * Runs the tests of the head with the base's files in the place of the changed ones that the runner loads. Runs them
 * again if tests fail only then, because they may be flaky.
 *
 * @param failures - titles of tests that fail on the head anyway
 */
export async function runWithSupportOfBase(
  task: Task,
  { head: { runnerFiles }, base }: { head: FetchedHead; base: FetchedBase },
  side: Side,
  failures: ReadonlySet<string>,
): Promise<NonNullable<ChangeFacts['support']>> {
  const replaced = runnerFiles.filter(canBeReplaced).map(({ path }) => path)
  const empty = runnerFiles.filter(canBeEmpty).map(({ path }) => path)
  const files = [...replaced, ...empty]
  const kept = runnerFiles.map(({ path }) => path).filter((path) => !files.includes(path))
  if (files.length === 0) return { files, kept, runs: [] }
  const overlaid = await withFilesOf(side, base.side.checkout, replaced)
  const layers = await Promise.all(empty.map((path) => side.layered.makeLayer(path, '')))
  const restored: Side = { ...overlaid, own: [...layers, ...overlaid.own] }
  const runs: RunOutcome[] = []
  const hasNewFailure = ({ cases }: RunOutcome) =>
    cases.some((found) => found.status === 'failed' && !failures.has(testTitle(found)))
  task.report('repeating')
  do {
    const wallMs = task.settings.timeoutSeconds * 1_000
    const parts = await runSuite(restored, restored.parts, { wallMs, coverage: false })
    const outcome = mergeOutcomes(parts.map((part) => part.outcome))
    if (outcome === null) break
    runs.push(outcome)
  } while (runs.length < 2 && !task.time.isOver() && runs.some(hasNewFailure))
  return { files, kept, runs }
}
