import type { Context } from '../context.ts'
import { newId } from '../ids.ts'
import type { ProjectRow } from '../projects/entity.ts'
import type { EventType } from './schema.ts'

export interface Event {
  type: EventType
  /** What it happened to. */
  project: Pick<ProjectRow, 'id' | 'name' | 'repository' | 'organizationId'>
  data: Record<string, unknown>
}

/** The channel on which workers hear that there is something to deliver. */
export const deliveriesChannel = 'webhook_deliveries'

/**
 * Announces a change in the transaction that makes it: there is no change without its event, and no event without its
 * change. One statement writes the event and a delivery for each webhook that wants it, and wakes who delivers.
 */
export async function emit(tx: Pick<Context, 'db' | 'now'>, { type, project, data }: Event): Promise<void> {
  const { id: projectId, name, repository, organizationId } = project
  const now = tx.now()
  const about = type === 'project.created' ? {} : { project: { id: projectId, name, repository } }
  const envelope = JSON.stringify({ event: type, timestamp: now.toISOString(), data, ...about })
  await tx.db.query(
    `WITH happened AS (
       INSERT INTO events (id, type, project_id, organization_id, data, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ), made AS (
       INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, body, status, trigger, next_attempt_at, created_at)
       SELECT made.id, made.webhook_id, $1, $2, ${bodyOf('made.id', '$7', '$4')}, 'pending', 'scheduled', $6, $6
         FROM (SELECT new_ulid($6) AS id, w.id AS webhook_id FROM webhooks w
                WHERE w.active AND w.deleted_at IS NULL AND w.events @> ARRAY[$2::text]
                  AND (w.project_id = $3 OR (w.project_id IS NULL AND w.organization_id = $4)) OFFSET 0) AS made
       RETURNING id
     )
     SELECT pg_notify('${deliveriesChannel}', '') FROM made LIMIT 1`,
    [newId(now), type, projectId, organizationId, JSON.stringify(data), now, envelope.slice(1, -1)],
  )
}

/**
 * SQL for what is sent of an event: the envelope with the delivery's own id at its beginning, and the organization, by
 * the name that it has now.
 *
 * @param id - SQL for the delivery's id
 * @param envelope - SQL for the members of the envelope, as text without braces
 * @param organizationId - SQL for the organization's id, or NULL
 */
export function bodyOf(id: string, envelope: string, organizationId: string): string {
  return `'{"id":"' || ${id} || '",' || ${envelope}::text || coalesce(
            ',"organization":' || (SELECT json_build_object('id', o.id, 'name', o.name)::text
                                     FROM organizations o WHERE o.id = ${organizationId}), '') || '}'`
}
