import { decideGate } from '../../engines/gate/decide.ts'
import type { Context } from '../base/context.ts'
import { loadGatePolicy, withChange } from '../gate-policy/load.ts'
import type { GatePolicy } from '../gate-policy/schema.ts'
import { getOwnProject } from '../projects/get.ts'
import { type GateRow, withPatch } from './entity.ts'
import { loadFacts } from './facts/load-facts.ts'
import { conclusionOf } from './present.ts'
import type { GatePolicyPreview, GateState, PreviewGatePolicy } from './schema.ts'

/** Shows what another policy would decide about the latest gates. Changes nothing. */
export async function previewGatePolicy(ctx: Context, input: PreviewGatePolicy): Promise<GatePolicyPreview> {
  const { limit, offset } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const now = await loadGatePolicy(ctx, project.id)
  const then = withChange(now, input.policy)
  const [gates, total] = await withPatch(ctx)
    .where({ projectId: project.id })
    .orderBy('gate.id', 'DESC')
    .take(limit)
    .skip(offset)
    .getManyAndCount()
  const counts = { before: noGates(), after: noGates() }
  const changed: GatePolicyPreview['changed'] = []
  for (const gate of gates) {
    ctx.signal.throwIfAborted()
    const [before, after] = [await decide(ctx, gate, now), await decide(ctx, gate, then)]
    counts.before[before.conclusion]++
    counts.after[after.conclusion]++
    if (before.conclusion === after.conclusion) continue
    const { id: gateId, headSha, branch, pullRequest } = gate
    const createdAt = gate.createdAt.toISOString()
    changed.push({
      gateId,
      headSha,
      branch,
      pullRequest,
      createdAt,
      from: before.conclusion,
      to: after.conclusion,
      reason: after.conclusion === 'success' ? before.reason : after.reason,
    })
  }
  return { ...counts, changed, examined: gates.length, pagination: { total, limit, offset } }
}

const noGates = (): Record<GateState, number> => ({ pending: 0, success: 0, failure: 0, error: 0, neutral: 0 })

/** Tested merges count as if they were the head, because comparing them would take a repository. */
async function decide(ctx: Context, gate: GateRow, policy: GatePolicy) {
  const facts = await loadFacts(ctx, gate, policy, async () => noMoves)
  const { state, reasons } = decideGate(facts, policy)
  return { conclusion: conclusionOf({ state, mode: policy.mode }), reason: reasons[0]?.text ?? '' }
}

const noMoves = {
  changes: { changed: new Map(), gone: new Set<string>(), added: new Set<string>() },
  hasHead: true,
}
