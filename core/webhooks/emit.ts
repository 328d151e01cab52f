import type { Context } from '../context.ts'
import { newId } from '../ids.ts'
import type { EventType } from './schema.ts'

export interface Event {
  type: EventType
  projectId: string
  organizationId: string | null
  data: Record<string, unknown>
}

/** Announces a change in the transaction that makes it: there is no change without its event, and no event without its change. */
export async function emit(tx: Pick<Context, 'db' | 'now'>, { type, projectId, organizationId, data }: Event) {
  const now = tx.now()
  await tx.db.query(
    `INSERT INTO events (id, type, project_id, organization_id, data, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
    [newId(now), type, projectId, organizationId, JSON.stringify(data), now],
  )
}
