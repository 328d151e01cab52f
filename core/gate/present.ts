import { gateUrl, type Site } from '../base/page-urls.ts'
import type { ShownGate } from './entity.ts'
import type { Gate, GateState } from './schema.ts'

const maxFiles = 10

/** A gate that does not block is neutral where it would fail, and never keeps anybody waiting. */
export function conclusionOf({ state, mode }: Pick<ShownGate, 'state' | 'mode'>): GateState {
  return mode === 'enforced' || state === 'success' || state === 'pending' ? state : 'neutral'
}

export function presentGate(site: Site, row: ShownGate): Gate {
  return {
    id: row.id,
    projectId: row.projectId,
    url: gateUrl(site, row),
    state: row.state,
    mode: row.mode,
    conclusion: conclusionOf(row),
    headSha: row.headSha,
    snapshotId: row.snapshotId,
    branch: row.branch,
    pullRequest: row.pullRequest,
    base: row.base,
    baseSha: row.baseSha,
    reasons: row.reasons,
    figures: row.figures,
    files: row.files?.slice(0, maxFiles) ?? [],
    isOutdated: row.judged < row.requests,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    deadlineAt: row.deadlineAt.toISOString(),
  }
}
