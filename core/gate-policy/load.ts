import { defaultGatePolicy } from '../../engines/gate/policy.ts'
import type { Context } from '../base/context.ts'
import { GatePolicy, GatePolicyChange } from './schema.ts'

/** Loads the policy of a project without a permission check. */
export async function loadGatePolicy(ctx: Pick<Context, 'db'>, projectId: string): Promise<GatePolicy> {
  return withChange(defaultGatePolicy, await loadStoredPolicy(ctx, projectId))
}

/** Loads what differs from the defaults. */
export async function loadStoredPolicy({ db }: Pick<Context, 'db'>, projectId: string): Promise<GatePolicyChange> {
  const [row] = await db.query<{ policy: unknown }[]>('SELECT policy FROM gate_policies WHERE project_id = $1', [
    projectId,
  ])
  return row ? GatePolicyChange.parse(row.policy) : {}
}

/** Replaces the given fields of a policy, those of rules and uploads one by one. */
export const withChange = (policy: Readonly<GatePolicy>, change: GatePolicyChange): GatePolicy =>
  GatePolicy.parse({
    ...policy,
    ...change,
    rules: { ...policy.rules, ...change.rules },
    uploads: { ...policy.uploads, ...change.uploads },
  })
