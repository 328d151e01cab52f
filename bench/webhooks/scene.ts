import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DataSource } from 'typeorm'
import { encrypt } from '../../core/base/crypto.ts'
import { newId } from '../../core/base/ids.ts'
import { deliveriesChannel } from '../../core/events/emit.ts'
import { secretPlace } from '../../core/webhooks/secret.ts'
import type { Arrival } from './receiver.ts'

export const secretKey = 'a key for the bench that is long enough to be one'
export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** About 1 kB, like an event of a run. */
export const bodyOf = (id: string) =>
  JSON.stringify({
    id,
    event: 'test_run.completed',
    timestamp: new Date().toISOString(),
    data: { log: 'x'.repeat(900) },
  })

/** Starts a child process that ends with the benchmark. */
export async function startProcess(
  cleanUp: AsyncDisposableStack,
  script: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(resolve(import.meta.dirname, '../..', script), { env: { ...process.env, ...environment } })
  cleanUp.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

/** The environment of a dispatcher process. */
export const workerEnvironment = (databaseUrl: string, directory: string) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: directory,
  SECRET_KEY: secretKey,
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_RETRY_SECONDS: '0,2,60',
  LOG_LEVEL: 'warn',
})

/** Resolves with the deliveries when this many have arrived. */
export async function arrivals({ child }: { child: ChildProcess }, count: number): Promise<Arrival[]> {
  child.send({ expect: count })
  const [message] = (await once(child, 'message')) as [{ arrivals: Arrival[] }]
  return message.arrivals
}

/** Creates webhooks with a project each, paused by default. */
export async function addWebhooks(db: DataSource, count: number, url: string, { paused = true } = {}) {
  const now = new Date()
  const ids = Array.from({ length: count }, () => newId(now))
  await db.query(
    `INSERT INTO webhooks (id, project_id, user_id, url, events, secret, active, paused_at, created_at, updated_at)
     SELECT w.id, 'project-' || w.id, 'nobody', $3, ARRAY['project.updated'], w.secret, true, $4, $5, $5
       FROM unnest($1::text[], $2::text[]) AS w(id, secret)`,
    [ids, ids.map((id) => encrypt(secretKey, secretPlace(id), secret)), url, paused ? now : null, now],
  )
  return ids
}

/** Creates due deliveries, spread over the webhooks, and returns their ids. */
export async function addDeliveries(db: DataSource, webhookIds: string[], count: number): Promise<string[]> {
  const now = new Date()
  const ids = Array.from({ length: count }, () => newId(now))
  for (let start = 0; start < count; start += 5_000) {
    const some = ids.slice(start, start + 5_000)
    await db.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, trigger, next_attempt_at, created_at)
       SELECT d.id, d.webhook_id, 'test_run.completed', d.body, 'pending', 'scheduled', $4, $4
         FROM unnest($1::text[], $2::text[], $3::text[]) AS d(id, webhook_id, body)`,
      [some, some.map((_, index) => webhookIds[(start + index) % webhookIds.length]), some.map(bodyOf), now],
    )
  }
  return ids
}

export async function resume(db: DataSource, webhookIds: string[]): Promise<void> {
  await db.query('UPDATE webhooks SET paused_at = NULL WHERE id = ANY($1)', [webhookIds])
  await db.query(`SELECT pg_notify('${deliveriesChannel}', '')`)
}

/** Waits until every result of these webhooks is stored. */
export async function untilDone(db: DataSource, webhookIds: string[]): Promise<void> {
  for (;;) {
    const open = await db.query(
      "SELECT FROM webhook_deliveries WHERE status IN ('pending', 'in_flight') AND webhook_id = ANY($1) LIMIT 1",
      [webhookIds],
    )
    if (open.length === 0) return
    await sleep(5)
  }
}

export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
