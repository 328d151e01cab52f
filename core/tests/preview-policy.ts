import { dayMs } from '../../engines/health/policy.ts'
import { judgeHealth } from '../../engines/health/judge.ts'
import type { JudgedHealth } from '../../engines/health/outcome.ts'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { loadTestPolicy } from '../test-policy/load.ts'
import type { HealthRules } from '../test-policy/schema.ts'
import { explainHealth } from '../../engines/health/explain.ts'
import { keyOf, loadMerged, notableTests, type TestKey, uniqueTests } from './health/candidates.ts'
import { loadNames } from './health/describe-tests.ts'
import { loadFixes } from './health/load-fixes.ts'
import { loadHistories, type TestHistory } from './health/load-outcomes.ts'
import { type JudgedRun, loadRuns } from './health/load-runs.ts'
import type { Health, PolicyPreview, PreviewPolicy } from './schema.ts'

const days = 30
const batch = 250
const shown = 100
/** A reader waits for the answer, and other lists for its connection. */
const maxMs = 5_000
/** Failures that are read to find the tests that failed. */
const maxFailures = 500_000

interface Judged extends TestKey {
  current: JudgedHealth
  previewed: JudgedHealth
  lastRun: string
}

/** Judges the results of the last 30 days with other rules, and changes nothing. */
export async function previewPolicy(ctx: Context, input: PreviewPolicy): Promise<PolicyPreview> {
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const { health: rules } = await loadTestPolicy(ctx, project.id)
  const otherRules = { ...rules, ...input.health }
  const since = ctx.now().getTime() - days * dayMs
  const load = async (of: HealthRules) => (await loadRuns(ctx, project, of, ctx.now())).filter(({ at }) => at >= since)
  const usual = { rules, runs: await load(rules) }
  const other = { rules: otherRules, runs: await load(otherRules) }
  // In the order of their ids, which is random, so that the first of them are a sample.
  const tests = uniqueTests(
    await notableTests(ctx, runsWithFailures(usual.runs)),
    await loadMerged(ctx, project.id),
  ).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const judged: Judged[] = []
  const until = Date.now() + maxMs
  for (let from = 0; from < tests.length && Date.now() < until; from += batch) {
    ctx.signal.throwIfAborted()
    judged.push(...(await judgeTwice(ctx, project.id, usual, other, tests.slice(from, from + batch))))
  }
  const differing = judged.filter(({ current, previewed }) => current.health !== previewed.health)
  const first = differing.slice(0, shown)
  const names = await loadNames(
    ctx,
    project.id,
    first.map(({ testId, variant, lastRun }) => ({ testId, variant, runId: lastRun })),
  )
  return {
    rules: otherRules,
    days,
    runs: usual.runs.length,
    notable: tests.length,
    examined: judged.length,
    current: countsOf(judged.map(({ current }) => current)),
    previewed: countsOf(judged.map(({ previewed }) => previewed)),
    currentChanges: changesOf(judged.map(({ current }) => current)),
    previewedChanges: changesOf(judged.map(({ previewed }) => previewed)),
    differences: first.map(({ testId, variant, current, previewed }) => ({
      testId,
      variant,
      ...(names.get(keyOf({ testId, variant })) ?? { suite: '', name: '', file: null }),
      current: current.health,
      previewed: previewed.health,
      reason: explainHealth(previewed),
    })),
    leftOut: differing.length - first.length,
  }
}

interface Rules {
  rules: HealthRules
  runs: readonly JudgedRun[]
}

async function judgeTwice(
  ctx: Context,
  projectId: string,
  usual: Rules,
  other: Rules,
  tests: readonly TestKey[],
): Promise<Judged[]> {
  const fixes = await loadFixes(ctx, projectId, tests)
  const latestRunAt = usual.runs.findLast(({ isWhole }) => isWhole)?.at ?? 0
  const historiesOf = await loadHistories(ctx, projectId, usual.runs, tests)
  const current = historiesOf(usual.runs)
  const previewed = historiesOf(other.runs)
  return tests.flatMap((test, index): Judged[] => {
    const lastRun = (current[index]?.outcomes.at(-1) ?? previewed[index]?.outcomes.at(-1))?.runId
    if (lastRun === undefined) return []
    const judge = (outcomes: readonly TestHistory[], policy: HealthRules) =>
      judgeHealth(outcomes[index]?.outcomes ?? [], { policy, latestRunAt, fixes: fixes.get(keyOf(test)) })
    return [{ ...test, lastRun, current: judge(current, usual.rules), previewed: judge(previewed, other.rules) }]
  })
}

/** Returns the ids of the runs with failures, the latest first, as far as their failures can be read in time. */
function runsWithFailures(runs: readonly JudgedRun[]): string[] {
  let read = 0
  return runs.toReversed().flatMap(({ id, failures }) => {
    if (failures.tests === 0 || read > maxFailures) return []
    read += failures.tests
    return [id]
  })
}

function countsOf(judged: readonly JudgedHealth[]): Record<Health, number> {
  const counts = { new: 0, healthy: 0, flaky: 0, broken: 0, stale: 0 }
  for (const { health } of judged) counts[health]++
  return counts
}

/** Changes to or from flaky and broken, which are announced. */
function changesOf(judged: readonly JudgedHealth[]): number {
  const isTrouble = (health: Health | null) => health === 'flaky' || health === 'broken'
  return judged.reduce(
    (sum, { changes }) => sum + changes.filter(({ from, to }) => isTrouble(from) || isTrouble(to)).length,
    0,
  )
}
