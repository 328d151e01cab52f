import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import type { InboundDeliveryRow } from './entity.ts'
import {
  CodeHostFacts,
  type InboundDelivery,
  type InboundEffect,
  type InboundPage,
  type ListInbound,
} from './schema.ts'

type Found = Omit<InboundDeliveryRow, 'projectId'> & { effects: InboundEffect[] | null }

/** Deliveries to the project's own receiver, and those to shared receivers that concerned the project. */
const ofProject = `
  SELECT id FROM inbound_deliveries WHERE project_id = $1
   UNION
  SELECT delivery_id FROM inbound_outcomes WHERE project_id = $1`

/** Lists the deliveries of the code host for a project in the last 30 days with their outcomes, newest first. */
export async function listInbound(ctx: Context, { projectId, limit, offset }: ListInbound): Promise<InboundPage> {
  const { id } = await getOwnProject(ctx, projectId, 'viewer')
  const rows = await ctx.db.query<Found[]>(
    `SELECT d.id, d.source, d.delivery_id AS "deliveryId", d.event, d.action, d.payload_digest AS "payloadDigest",
            d.facts, coalesce(o.status, d.status) AS status, CASE WHEN o.status IS NULL THEN d.reason ELSE o.reason END AS reason,
            o.effects, d.received_at AS "receivedAt", coalesce(o.processed_at, d.processed_at) AS "processedAt"
       FROM inbound_deliveries d LEFT JOIN inbound_outcomes o ON o.delivery_id = d.id AND o.project_id = $1
      WHERE d.id IN (${ofProject}) ORDER BY d.id DESC LIMIT $2 OFFSET $3`,
    [id, limit, offset],
  )
  const [{ total }] = await ctx.db.query<[{ total: number }]>(
    `SELECT count(*)::int AS total FROM (${ofProject}) found`,
    [id],
  )
  return { deliveries: rows.map(presentDelivery), pagination: { total, limit, offset } }
}

function presentDelivery(row: Found): InboundDelivery {
  const { branch, tag, commitSha, pullRequest, fork } = CodeHostFacts.parse(row.facts)
  return {
    id: row.id,
    source: row.source,
    deliveryId: row.deliveryId,
    event: row.event,
    action: row.action,
    branch,
    tag,
    commitSha,
    pullRequest,
    fork,
    payloadDigest: row.payloadDigest,
    status: row.status,
    reason: row.reason,
    effects: row.effects ?? [],
    receivedAt: row.receivedAt.toISOString(),
    processedAt: row.processedAt?.toISOString() ?? null,
  }
}
