import { durationQuantiles } from '../../../engines/health/duration-quantiles.ts'
import { judgeHealth } from '../../../engines/health/judge.ts'
import type { JudgedHealth } from '../../../engines/health/outcome.ts'
import type { Context } from '../../base/context.ts'
import type { HealthRules } from '../../test-policy/schema.ts'
import { loadDurations } from '../durations/load.ts'
import { loadOwners } from '../owners/codeowners.ts'
import { keyOf, type TestKey } from './candidates.ts'
import { type LastFailure, loadFailures, loadNames, type TestNames } from './describe-tests.ts'
import { type Impact, impactOf } from './impact.ts'
import { loadFixes } from './load-fixes.ts'
import { loadOutcomes } from './load-outcomes.ts'
import type { JudgedRun } from './load-runs.ts'

/** A test as its results describe it. */
export interface JudgedTest extends TestKey, TestNames, Impact {
  judged: JudgedHealth
  owners: string[]
  lastFailure: LastFailure | null
  p50: number | null
  p95: number | null
  firstSeenAt: Date
  lastSeenAt: Date
}

/** Judges tests by their results in these runs. Tests without a result that counts are left out. */
export async function judgeTests(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  { runs, rules }: { runs: readonly JudgedRun[]; rules: HealthRules },
  tests: readonly TestKey[],
): Promise<JudgedTest[]> {
  if (tests.length === 0) return []
  const latestRunAt = runs.findLast(({ isWhole }) => isWhole)?.at ?? 0
  const until = runs.at(-1)?.at ?? 0
  const byId = new Map(runs.map((run) => [run.id, run]))
  const histories = await loadOutcomes(ctx, projectId, runs, tests)
  const fixes = await loadFixes(ctx, projectId, tests)
  const lastRuns = histories.flatMap(({ test, outcomes }) => {
    const last = outcomes.at(-1)
    return last ? [{ ...test, runId: last.runId }] : []
  })
  const lastFailures = histories.flatMap(({ test, outcomes }) => {
    const last = outcomes.findLast(({ failed, retried }) => failed || retried)
    return last ? [{ ...test, runId: last.runId }] : []
  })
  const ownersOf = await loadOwners(ctx, projectId)
  const names = await loadNames(ctx, projectId, lastRuns)
  const failures = await loadFailures(ctx, projectId, lastFailures)
  const durations = await loadDurations(ctx, projectId, runs, tests)
  return histories.flatMap(({ test, outcomes }): JudgedTest[] => {
    const key = keyOf(test)
    const name = names.get(key)
    const [first] = outcomes
    const last = outcomes.at(-1)
    if (!first || !last || !name) return []
    const quantiles = durationQuantiles(durations.get(key) ?? [])
    return [
      {
        ...test,
        ...name,
        ...impactOf(outcomes, byId, until),
        judged: judgeHealth(outcomes, { policy: rules, latestRunAt, fixes: fixes.get(key) }),
        owners: ownersOf(name.file),
        lastFailure: failures.get(key) ?? null,
        p50: quantiles?.p50 ?? null,
        p95: quantiles?.p95 ?? null,
        firstSeenAt: new Date(first.at),
        lastSeenAt: new Date(last.at),
      },
    ]
  })
}
