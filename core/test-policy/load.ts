import { defaultPolicy } from '../../engines/health/policy.ts'
import type { Context } from '../base/context.ts'
import type { TestPolicy } from './schema.ts'

export const defaults: TestPolicy = {
  health: defaultPolicy,
  quarantine: { grantedBy: 'admin', days: 14, muteFlaky: false },
  retention: { resultDays: 90, dailyDays: 400 },
}

/** Contains only the values that differ from the defaults. */
export interface StoredPolicy {
  policy: Partial<TestPolicy['health']>
  quarantine: Partial<TestPolicy['quarantine']>
  retention: Partial<TestPolicy['retention']>
}

/** Loads the policy of a project without a permission check. */
export async function loadTestPolicy(ctx: Pick<Context, 'db'>, projectId: string): Promise<TestPolicy> {
  return completed(await loadStored(ctx, projectId))
}

export async function loadStored({ db }: Pick<Context, 'db'>, projectId: string): Promise<StoredPolicy> {
  const [row] = await db.query<StoredPolicy[]>(
    'SELECT policy, quarantine, retention FROM test_policies WHERE project_id = $1',
    [projectId],
  )
  return row ?? { policy: {}, quarantine: {}, retention: {} }
}

export const completed = ({ policy, quarantine, retention }: StoredPolicy): TestPolicy => ({
  health: { ...defaults.health, ...policy },
  quarantine: { ...defaults.quarantine, ...quarantine },
  retention: { ...defaults.retention, ...retention },
})
