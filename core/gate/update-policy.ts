import { isDeepStrictEqual } from 'node:util'
import { defaultGatePolicy } from '../../engines/gate/policy.ts'
import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { requestGatesOfProject } from '../test-runs/request-gate.ts'
import { loadGatePolicy, loadStoredPolicy, withChange } from '../gate-policy/load.ts'
import type { GatePolicy, GatePolicyChange, GetGatePolicy, UpdateGatePolicy } from '../gate-policy/schema.ts'

export async function getGatePolicy(ctx: Context, input: GetGatePolicy): Promise<GatePolicy> {
  await getOwnProject(ctx, input.projectId, 'viewer')
  return loadGatePolicy(ctx, input.projectId)
}

/**
 * Changes the policy of a project's gate. Members change the rules; admins switch the gate on and off, and change an
 * enforced one. Gates that wait are judged again by the new rules.
 */
export async function updateGatePolicy(ctx: Context, input: UpdateGatePolicy): Promise<GatePolicy> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const before = withChange(defaultGatePolicy, await loadStoredPolicy(tx, project.id))
    const after = withChange(before, input.policy)
    if (isDeepStrictEqual(before, after)) return before
    if (before.mode === 'enforced' || after.mode !== before.mode) requireRole(project.role, 'admin')
    await tx.db.query(
      `INSERT INTO gate_policies (project_id, policy, updated_at) VALUES ($1, $2, $3)
       ON CONFLICT (project_id) DO UPDATE SET policy = $2, updated_at = $3`,
      [project.id, JSON.stringify(difference(after, defaultGatePolicy)), tx.now()],
    )
    await recordAudit(tx, 'gate_policy_changed', userIdOf(tx), {
      organizationId: project.organizationId,
      projectId: project.id,
      ...difference(after, before),
    })
    await requestGatesOfProject(tx, project.id)
    return after
  })
}

/** The fields of a policy that another one does not have in common with it. */
function difference(policy: GatePolicy, from: GatePolicy): GatePolicyChange {
  const { rules, uploads, ...fields } = differing(policy, from)
  return {
    ...fields,
    ...(rules && { rules: differing(rules, from.rules) }),
    ...(uploads && { uploads: differing(uploads, from.uploads) }),
  }
}

function differing<Fields extends object>(one: Fields, other: Fields): Partial<Fields> {
  const known = new Map<string, unknown>(Object.entries(other))
  const entries = Object.entries(one).filter(([name, value]) => !isDeepStrictEqual(value, known.get(name)))
  return Object.fromEntries(entries) as Partial<Fields>
}
