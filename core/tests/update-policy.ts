import { isDeepStrictEqual } from 'node:util'
import { type Context, inTransaction, userIdOf } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { recordAudit } from '../identity/audit/record.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { completed, defaults, loadStored, loadTestPolicy } from '../test-policy/load.ts'
import type { GetTestPolicy, TestPolicy, UpdateTestPolicy } from '../test-policy/schema.ts'
import { requestProjectHealth } from '../test-runs/request-health.ts'

export async function getTestPolicy(ctx: Context, input: GetTestPolicy): Promise<TestPolicy> {
  await getOwnProject(ctx, input.projectId, 'viewer')
  return loadTestPolicy(ctx, input.projectId)
}

/**
 * Changes the rules of a project. Members change the rules of health; admins also who grants quarantine and how long
 * results are kept. New rules of health apply to all results at once.
 */
export async function updateTestPolicy(ctx: Context, input: UpdateTestPolicy): Promise<TestPolicy> {
  const { health, quarantine, retention } = input
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    if (quarantine !== undefined || retention !== undefined) requireRole(project.role, 'admin')
    const stored = await loadStored(tx, project.id)
    const before = completed(stored)
    const after = completed({
      policy: { ...stored.policy, ...health },
      quarantine: { ...stored.quarantine, ...quarantine },
      retention: { ...stored.retention, ...retention },
    })
    if (retention !== undefined) requirePossible(after.retention)
    if (isDeepStrictEqual(before, after)) return before
    await tx.db.query(
      `INSERT INTO test_policies (project_id, policy, quarantine, retention, updated_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project_id) DO UPDATE SET policy = $2, quarantine = $3, retention = $4, updated_at = $5`,
      [
        project.id,
        difference(after.health, defaults.health),
        difference(after.quarantine, defaults.quarantine),
        difference(after.retention, defaults.retention),
        tx.now(),
      ],
    )
    await recordAudit(tx, 'test_policy_changed', userIdOf(tx), {
      organizationId: project.organizationId,
      projectId: project.id,
      ...changesOf(before, after),
    })
    if (!isDeepStrictEqual(before.health, after.health)) {
      await requestProjectHealth(tx, project.id)
    }
    return after
  })
}

/** The page of a test would show results of days without counts. */
function requirePossible({ resultDays, dailyDays }: TestPolicy['retention']): void {
  if (dailyDays >= resultDays) return
  throw invalid(
    `retention: \`dailyDays\` (${dailyDays}) must be at least \`resultDays\` (${resultDays}). Raise it, or lower \`resultDays\`.`,
  )
}

function difference(values: object, from: object): Record<string, unknown> {
  const known = new Map<string, unknown>(Object.entries(from))
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== known.get(name)))
}

function changesOf(before: TestPolicy, after: TestPolicy): Record<string, unknown> {
  return Object.fromEntries(
    (['health', 'quarantine', 'retention'] as const).flatMap((part) => {
      const changed = difference(after[part], before[part])
      return Object.keys(changed).length === 0 ? [] : [[part, changed]]
    }),
  )
}
