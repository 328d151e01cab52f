import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../base/context.ts'
import { emit } from '../events/emit.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { GateRow } from './entity.ts'
import type { GatePolicy } from '../gate-policy/schema.ts'
import { conclusionOf } from './present.ts'
import { postGate } from './report/post.ts'

/** Tells everybody about a decision that differs from the one before, in the caller's transaction. */
export async function announceGate(
  tx: Context,
  project: Omit<ProjectRow, 'settings'>,
  policy: GatePolicy,
  { before, after }: { before: GateRow; after: GateRow },
): Promise<void> {
  if (policy.mode === 'off') return
  if (before.judged === 0 || saysOther(before, after)) await postGate(tx, policy, after)
  const isNew = before.judged === 0 || before.state !== after.state || before.mode !== after.mode
  if (!isNew || after.state === 'pending') return
  await emit(tx, {
    type: 'gate.decided',
    project,
    data: {
      id: after.id,
      projectId: project.id,
      state: after.state,
      conclusion: conclusionOf(after),
      headSha: after.headSha,
      snapshotId: after.snapshotId,
      branch: after.branch,
      pullRequest: after.pullRequest,
      base: after.base,
      baseSha: after.baseSha,
      reasons: after.reasons.slice(0, maxReasons).map(({ rule, outcome, text }) => ({ rule, outcome, text })),
      coverage: after.figures?.lines.percent ?? null,
      createdAt: after.createdAt.toISOString(),
      decidedAt: after.updatedAt.toISOString(),
    },
  })
}

/** Whether the code host would show something else than before. */
const saysOther = (before: GateRow, after: GateRow) =>
  !isDeepStrictEqual(shownOf(before), shownOf(after)) || before.pullRequest !== after.pullRequest

const shownOf = ({ state, mode, reasons, files, figures }: GateRow) =>
  // The database keeps no order of the members.
  ({ state, mode, reasons, files, failures: figures?.failures, flaky: figures?.flaky, project: figures?.project })

const maxReasons = 10
