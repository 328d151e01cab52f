import { isDeepStrictEqual } from 'node:util'
import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { loadEvidence } from './evidence.ts'
import { loadSelectionPolicy } from './load-policy.ts'
import { describeReach } from './reach.ts'
import type { GetSelection, SelectionOverview, UpdateSelection } from './schema.ts'

export async function getSelection(ctx: Context, { projectId }: GetSelection): Promise<SelectionOverview> {
  await getOwnProject(ctx, projectId, 'viewer')
  return overviewOf(ctx, projectId)
}

const overviewOf = async (ctx: Pick<Context, 'db'>, projectId: string): Promise<SelectionOverview> => ({
  policy: await loadSelectionPolicy(ctx, projectId),
  evidence: await loadEvidence(ctx, projectId),
  reach: await describeReach(ctx, projectId),
})

/**
 * Changes how a project selects tests. Only admins change the mode, because `enforce` lets runs leave tests out.
 *
 * @throws AppError 409 if `enforce` is wanted and the project's history does not support it
 */
export async function updateSelection(ctx: Context, input: UpdateSelection): Promise<SelectionOverview> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const before = await overviewOf(tx, project.id)
    const policy = { ...before.policy, ...input.policy }
    if (isDeepStrictEqual(policy, before.policy)) return before
    if (policy.mode !== before.policy.mode) requireRole(project.role, 'admin')
    if (policy.mode === 'enforce' && before.policy.mode !== 'enforce' && before.evidence.missing !== null) {
      throw conflict(
        `Selections cannot be enforced in this project. ${before.evidence.missing}`,
        procedureHint('selection.get'),
      )
    }
    await tx.db.query(
      `INSERT INTO selection_policies (project_id, policy) VALUES ($1, $2)
       ON CONFLICT (project_id) DO UPDATE SET policy = $2`,
      [project.id, JSON.stringify(policy)],
    )
    await recordAudit(tx, 'selection_policy_changed', userIdOf(tx), {
      organizationId: project.organizationId,
      projectId: project.id,
      ...policy,
    })
    return { ...before, policy }
  })
}
