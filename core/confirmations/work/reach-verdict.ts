import { join } from 'node:path'
import { findGoModulesApart } from '../../../engines/test-plan/detect-apart.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { engineRunner } from '../../base/engines.ts'
import type { Context } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import { storableJson } from '../../base/storable-json.ts'
import { ownerOf } from '../../projects/owner.ts'
import { loadProjectSettings } from '../../projects/settings.ts'
import { storedSnapshot } from '../../snapshots/stored-snapshot.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import type { JudgedEnd } from '../../verdicts/state.ts'
import { digest } from '../../workspaces/digest.ts'
import { makeWorkDirectory } from '../../workspaces/directories.ts'
import { openLayers } from '../../workspaces/layered-checkout.ts'
import { masked } from '../../workspaces/mask.ts'
import { withPlannedSource } from '../../workspaces/planned-source.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { unloggedWork } from '../../workspaces/unlogged-work.ts'
import { canShuffle, selectedStep, suiteStep } from '../../workspaces/runner/steps.ts'
import { trustIn } from '../../workspaces/trust.ts'
import { ConfirmationEntity, type ConfirmationRow } from '../entity.ts'
import type { ConfirmationEvidence, ConfirmationPhase } from '../schema.ts'
import { repeat } from './repeat.ts'
import { judgeRepetitions } from './verdict.ts'

/** The time for all repetitions alone, and for those in the suite. */
const budgetMs = 300_000

/**
 * Repeats a test alone and in its suite.
 *
 * @throws RunFailure if the tests cannot run
 */
export async function reachVerdict(
  ctx: Context,
  scope: VerdictScope<ConfirmationRow, ConfirmationPhase>,
): Promise<JudgedEnd<ConfirmationRow>> {
  const { row, project, directory, secrets, mask, report } = scope
  const begunAt = performance.now()
  const warnings = new Set<string>()
  report('fetching')
  const settings = await withRetry(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await scope.findExecutor()
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  const checkout = join(directory, 'checkout')
  const snapshot = await storedSnapshot(ctx, project, row)
  const wanted = { ...row, snapshot, type: 'ALL', selection: null, elseAll: true } as const
  const fetched = await withPlannedSource(ctx, runner, project, settings, wanted, async (source, { parts }) => {
    const { commitSha } = source
    const isMerged = snapshot === undefined && (await source.isOnProjectBranch())
    await withRetry(() => storeKnown(ctx, row, { commitSha, branch: row.branch ?? source.branch }))
    const whyUntrusted = await source.whyUntrusted()
    await makeWorkDirectory(ctx.config, directory, executor)
    await source.checkOut(checkout)
    const goModules = await findGoModulesApart(runner, source.tree, parts)
    return { source, parts, goModules, whyUntrusted, isMerged, trust: trustIn(source, whyUntrusted) }
  })
  const { source, parts, goModules, whyUntrusted, isMerged, trust } = fetched
  if (whyUntrusted !== null) warnings.add(whyUntrusted)
  const { part, step: aloneStep } = partOf(parts, row)

  using inUse = new DisposableStack()
  const given = {
    ctx,
    project,
    settings,
    executor,
    checkout,
    directory,
    trust,
    inUse,
    environment: whyUntrusted === null ? secrets : {},
  }
  const { work, explained } = unloggedWork(given, mask, () => report('installing'))
  report('installing')
  const layers = await openLayers({ runner, work, source, parts, goModules, mask }).catch((error: unknown) => {
    throw explained(error)
  })
  const shared = {
    part,
    test: row,
    times: row.repeats,
    wallMs: settings.timeoutSeconds * 1_000,
    memoryBytes: ctx.config.runs.memoryBytes,
    run: (execution: Parameters<Parameters<typeof repeat>[0]['run']>[0]) =>
      layers.run({ ...execution, paths: source.tree.paths, test: null }),
  }
  const phase = (name: ConfirmationPhase) => ({
    deadline: performance.now() + budgetMs,
    report: (done: number, total: number) => report(name, done, total),
  })
  const alone = await repeat({ ...shared, ...phase('alone'), stepOf: () => aloneStep })
  const inSuite =
    alone.failed > 0 || alone.runs === 0
      ? null
      : await repeat({
          ...shared,
          ...phase('in_suite'),
          stepOf: (index) => suiteStep(part, { coverage: false, seed: seedOf(part, row, index) }),
        })
  const durationMs = performance.now() - begunAt
  const { verdict, evidence } = judgeRepetitions(alone, inSuite, {
    warnings: [...warnings],
    durationMs,
  })
  if (isMerged) await withRetry(() => storeKnown(ctx, row, { mergedAt: ctx.now() }))
  const whole = JSON.parse(storableJson(masked(evidence, mask))) as ConfirmationEvidence
  return { status: 'completed', verdict, evidence: whole }
}

/** The part whose runner can run the test alone. */
function partOf(parts: readonly PlanPart[], { suite, name, file }: ConfirmationRow) {
  const reasons: string[] = []
  for (const part of parts) {
    const selected = selectedStep(part, { files: [], cases: [{ suite, name, file }] }, { coverage: false })
    if ('step' in selected) return { part, step: selected.step }
    reasons.push(selected.unsupported)
  }
  throw new RunFailure('unsupported', `The test cannot run alone: ${reasons.join(' ')}`)
}

/** The first repetition has the written order. */
function seedOf(part: PlanPart, { id }: ConfirmationRow, repetition: number): string | null {
  if (repetition === 0 || !canShuffle(part)) return null
  return String(Number.parseInt(digest([id, repetition]).slice(0, 7), 16) + 1)
}

async function storeKnown(
  ctx: Context,
  { id, attempt }: ConfirmationRow,
  known: Partial<Pick<ConfirmationRow, 'commitSha' | 'branch' | 'mergedAt'>>,
): Promise<void> {
  await ctx.db.getRepository(ConfirmationEntity).update({ id, attempt, status: 'running' }, known)
}
