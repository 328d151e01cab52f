import type { EntityManager } from 'typeorm'
import type { Config } from '../config.ts'
import { newId } from '../base/ids.ts'
import type { Logger } from '../base/log.ts'
import type { DatabaseCheck, Queues } from './schema.ts'

export type CheckedDatabase = DatabaseCheck & { queues: Queues | null }

export async function checkDatabase({
  db,
  log,
  config,
}: {
  db: EntityManager
  log: Logger
  config: Config
}): Promise<CheckedDatabase> {
  try {
    return { ok: true, problem: null, advice: null, queues: await countQueues(db, config, new Date()) }
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
async function countQueues(db: EntityManager, config: Config, now: Date): Promise<Queues> {
  const rows = await db.query<{ queue: keyof Queues; waiting: number; running: number; since: Date | null }[]>(
    `SELECT 'runs' AS queue,
            count(*) FILTER (WHERE status = 'PENDING')::int AS waiting,
            count(*) FILTER (WHERE status = 'RUNNING')::int AS running,
            min(created_at) FILTER (WHERE status = 'PENDING') AS since
       FROM test_runs WHERE status IN ('PENDING', 'RUNNING')
     UNION ALL
     SELECT 'verifications',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int,
            min(created_at) FILTER (WHERE status = 'pending')
       FROM verifications WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'changes',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int,
            min(created_at) FILTER (WHERE status = 'pending')
       FROM changes WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'measurements',
            count(*) FILTER (WHERE status = 'pending')::int,
            count(*) FILTER (WHERE status = 'running')::int,
            min(created_at) FILTER (WHERE status = 'pending')
       FROM strength_measurements WHERE status IN ('pending', 'running')
     UNION ALL
     SELECT 'analyses',
            (SELECT count(*)::int FROM analyses WHERE status = 'pending'),
            (SELECT count(*)::int FROM analyses WHERE status = 'running' AND id > $1),
            (SELECT min(created_at) FROM analyses WHERE status = 'pending')
     UNION ALL
     SELECT 'deliveries',
            due.waiting, (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'in_flight'), due.since
       FROM (SELECT count(*)::int AS waiting, min(d.next_attempt_at) AS since
               FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
              WHERE d.status = 'pending' AND d.next_attempt_at <= $2 AND w.active AND w.paused_at IS NULL) AS due`,
    [newId(new Date(now.getTime() - maxAnalysisMs)), now],
  )
  const capacities = capacitiesOf(config)
  return Object.fromEntries(
    rows.map(({ queue, since, ...counts }) => {
      const oldestWaitSeconds = since && Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1_000))
      return [queue, { ...counts, oldestWaitSeconds, capacity: capacities[queue] ?? null }]
    }),
  ) as Queues
}

/** With `ROLE=all`, this process does all the work. Otherwise it does not know how many processes work on a queue. */
function capacitiesOf(config: Config): Partial<Record<keyof Queues, number>> {
  if (config.role !== 'all') return {}
  const { verificationConcurrency, analysisConcurrency, runs } = config
  return {
    runs: runs.runConcurrency,
    verifications: verificationConcurrency,
    changes: verificationConcurrency,
    measurements: verificationConcurrency,
    analyses: analysisConcurrency,
  }
}
