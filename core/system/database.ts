import type { EntityManager } from 'typeorm'
import { newId } from '../base/ids.ts'
import type { Logger } from '../base/log.ts'
import type { DatabaseCheck, Queues } from './schema.ts'

export type CheckedDatabase = DatabaseCheck & { queues: Queues | null }

export async function checkDatabase({ db, log }: { db: EntityManager; log: Logger }): Promise<CheckedDatabase> {
  try {
    return { ok: true, problem: null, advice: null, queues: await countQueues(db, new Date()) }
  } catch (error) {
    log.warn({ err: error }, 'the check of the database failed')
    return {
      ok: false,
      problem: 'The database does not answer.',
      advice: 'Check that Postgres runs (DATABASE_URL), and read the server log.',
      queues: null,
    }
  }
}

/** No analysis runs longer. Bounds the query, because no index of `analyses` covers running ones. */
const maxAnalysisMs = 86_400_000

/** An index covers every condition, so that a large history does not slow it down. */
async function countQueues(db: EntityManager, now: Date): Promise<Queues> {
  const rows = await db.query<{ queue: keyof Queues; waiting: number; running: number }[]>(
    `SELECT 'runs' AS queue,
            count(*) FILTER (WHERE status = 'PENDING')::int AS waiting,
            count(*) FILTER (WHERE status = 'RUNNING')::int AS running
       FROM test_runs WHERE status IN ('PENDING', 'RUNNING')
     UNION ALL
     SELECT 'verifications',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int
       FROM verifications WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'changes',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int
       FROM changes WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'measurements',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int
       FROM strength_measurements WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'analyses',
            (SELECT count(*)::int FROM analyses WHERE status = 'pending'),
            (SELECT count(*)::int FROM analyses WHERE status = 'running' AND id > $1)
     UNION ALL
     SELECT 'deliveries',
            (SELECT count(*)::int FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
              WHERE d.status = 'pending' AND d.next_attempt_at <= $2 AND w.active AND w.paused_at IS NULL),
            (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'in_flight')`,
    [newId(new Date(now.getTime() - maxAnalysisMs)), now],
  )
  return Object.fromEntries(rows.map(({ queue, ...counts }) => [queue, counts])) as Queues
}
