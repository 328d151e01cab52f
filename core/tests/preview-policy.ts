import { dayMs } from '../../engines/health/policy.ts'
import { judgeHealth } from '../../engines/health/judge.ts'
import type { JudgedHealth } from '../../engines/health/outcome.ts'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { loadTestPolicy } from '../test-policy/load.ts'
import type { HealthRules } from '../test-policy/schema.ts'
import { explainHealth } from '../../engines/health/explain.ts'
import { keyOf, notableTests, type TestKey } from './health/candidates.ts'
import { loadNames } from './health/describe-tests.ts'
import { loadFixes } from './health/load-fixes.ts'
import { loadOutcomes } from './health/load-outcomes.ts'
import { type JudgedRun, loadRuns } from './health/load-runs.ts'
import type { Health, PolicyPreview, PreviewPolicy } from './schema.ts'

const days = 30
const batch = 500
const shown = 100

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
  const usual = { rules, runs: numbered(await load(rules)) }
  const other = { rules: otherRules, runs: numbered(await load(otherRules)) }
  const tests = await notableTests(
    ctx,
    usual.runs.flatMap(({ id, failures }) => (failures === null || failures.tests > 0 ? [id] : [])),
  )
  const judged: Judged[] = []
  for (let from = 0; from < tests.length; from += batch) {
    judged.push(...(await judgeTwice(ctx, project.id, usual, other, tests.slice(from, from + batch))))
  }
  const differing = judged.filter(({ current, previewed }) => current.health !== previewed.health)
  const first = differing.slice(0, shown)
  const names = await loadNames(
    ctx,
    first.map(({ testId, variant, lastRun }) => ({ testId, variant, runId: lastRun })),
  )
  return {
    rules: otherRules,
    days,
    runs: usual.runs.length,
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
  const current = await loadOutcomes(ctx, projectId, usual.runs, tests)
  const previewed = await loadOutcomes(ctx, projectId, other.runs, tests)
  return tests.flatMap((test, index): Judged[] => {
    const fix = fixes.get(keyOf(test)) ?? null
    const lastRun = (current[index]?.outcomes.at(-1) ?? previewed[index]?.outcomes.at(-1))?.runId
    if (lastRun === undefined) return []
    const judge = (outcomes: typeof current, policy: HealthRules) =>
      judgeHealth(outcomes[index]?.outcomes ?? [], { policy, latestRunAt, fix })
    return [{ ...test, lastRun, current: judge(current, usual.rules), previewed: judge(previewed, other.rules) }]
  })
}

const numbered = (runs: readonly JudgedRun[]) => runs.map((run, index) => ({ ...run, place: index + 1 }))

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
