import type { EntityManager } from 'typeorm'

const dayMs = 86_400_000
/** Deliveries can be recovered for this long. */
export const eventsKeptMs = 30 * dayMs
const deletedWebhooksKeptMs = 30 * dayMs

/** Bounds one round, so that it does not load the database for long. The next round deletes the rest. */
const batchRows = 5_000
const maxBatches = 40

/** Deletes events that are older than 30 days, in batches. */
export function cleanUpEvents(db: EntityManager, now: Date): Promise<void> {
  return inBatches(
    db,
    `WITH gone AS (
       DELETE FROM events
        WHERE id IN (SELECT id FROM events WHERE created_at < $1 ORDER BY created_at LIMIT ${batchRows})
       RETURNING id
     )
     SELECT id FROM gone`,
    new Date(now.getTime() - eventsKeptMs),
  )
}

/** Purges webhooks that were deleted more than 30 days ago, with their deliveries and attempts, in batches. */
export async function cleanUpWebhooks(db: EntityManager, now: Date): Promise<void> {
  const before = new Date(now.getTime() - deletedWebhooksKeptMs)
  await inBatches(
    db,
    `WITH gone AS (
       DELETE FROM webhook_deliveries
        WHERE id IN (SELECT d.id FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
                      WHERE w.deleted_at < $1 LIMIT ${batchRows})
       RETURNING id
     ), attempts AS (
       DELETE FROM webhook_attempts a USING gone WHERE a.delivery_id = gone.id
     )
     SELECT id FROM gone`,
    before,
  )
  await db.query(
    `DELETE FROM webhooks w
      WHERE deleted_at < $1 AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id)`,
    [before],
  )
}

async function inBatches(db: EntityManager, statement: string, before: Date): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch++) {
    const gone = await db.query<unknown[]>(statement, [before])
    if (gone.length < batchRows) return
  }
}
