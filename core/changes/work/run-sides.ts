import { loadKeptResult, storeKeptResult } from '../../workspaces/kept-results.ts'
import { withRetry } from '../../base/retry.ts'
import type { RunOutcome } from '../../../engines/verdicts/outcome.ts'
import { digest } from '../../workspaces/digest.ts'
import { sideKey } from './content-key.ts'
import type { FetchedSide } from './fetch-sides.ts'
import { type PartRun, runSuite, type Side } from './side.ts'
import type { Task } from './task.ts'

/** The results of a side's own tests. */
export interface SideRuns {
  fetched: FetchedSide
  /** Why no run was possible. */
  problem: { code: string; message: string } | null
  /** The first run of all tests, by part. */
  first: readonly PartRun[]
  /** Later runs of some of the tests. */
  repeated: RunOutcome[]
  durationMs: number
  cached: boolean
}

interface KnownRuns {
  outcomes: RunOutcome[]
  durationMs: number
}

/** Runs the tests of a side, or loads the results of an earlier run under the same conditions. */
export async function runSide(
  task: Task,
  fetched: FetchedSide,
  {
    phase,
    coverage,
    open,
  }: {
    phase: 'running_head' | 'running_base'
    coverage: boolean
    open: () => Promise<Side | { problem: NonNullable<SideRuns['problem']> }>
  },
): Promise<SideRuns> {
  const { ctx, project, settings } = task
  const ended = { fetched, problem: null, first: [], repeated: [], durationMs: 0, cached: false }
  if (fetched.problem) return { ...ended, problem: fetched.problem }
  const key = sideKey(task, fetched)
  const measuredKey = digest([key, 'with coverage'])
  const known = task.change.again ? undefined : await findKnown(task, coverage ? [measuredKey] : [measuredKey, key])
  if (known) {
    const first = fetched.parts.flatMap((part, index) => {
      const outcome = known.outcomes[index]
      return outcome ? [{ part, outcome }] : []
    })
    return { ...ended, first, durationMs: known.durationMs, cached: true }
  }
  const side = await open()
  if ('problem' in side) return { ...ended, problem: side.problem }
  task.report(phase)
  const begunAt = performance.now()
  const first = await runSuite(side, side.parts, { wallMs: settings.timeoutSeconds * 1_000, coverage, warmsUp: true })
  const durationMs = Math.round(performance.now() - begunAt)
  const outcomes = first.map(({ outcome }) => outcome)
  // A limit may be due to a busy machine.
  if (outcomes.every(({ problem }) => problem === null)) {
    const kept: KnownRuns = { outcomes, durationMs }
    await withRetry(() => storeKeptResult(ctx, project.id, coverage ? measuredKey : key, kept), ctx.signal)
  }
  return { ...ended, first, durationMs }
}

async function findKnown({ ctx, project }: Task, keys: readonly string[]): Promise<KnownRuns | undefined> {
  for (const key of keys) {
    const known = await withRetry(() => loadKeptResult<KnownRuns>(ctx, project.id, key), ctx.signal)
    if (known) return known
  }
  return undefined
}
