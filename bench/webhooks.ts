/**
 * Delivers to a receiver on this machine. Measures the throughput of signed and checked deliveries over new connections,
 * compared with a bare node:http sender of the same bodies; the delay after the commit; the delay of retries; and the
 * cost of many endpoints, of finished deliveries and of an endpoint that never responds. Arguments select parts.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../core/migrate.ts'
import { newId } from '../core/base/ids.ts'
import { emit } from '../core/events/emit.ts'
import { createDataSource } from '../ormconfig.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { openScratch } from './scratch.ts'
import {
  addDeliveries,
  addWebhooks,
  arrivals,
  bodyOf,
  percentile,
  resume,
  secret,
  startProcess,
  untilDone,
  workerEnvironment,
} from './webhooks/scene.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const perRound = Number(process.env['DELIVERIES'] ?? 10_000)
const finished = Number(process.env['FINISHED'] ?? 1_000_000)
const hanging = Number(process.env['HANGING'] ?? 2_000)

const parts = { throughput, soonness, lateness, hanging: besideHanging, flatness }
const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in parts))
if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}.`)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const db = createDataSource({ url: postgres.url, poolSize: 20, onPoolError: () => {} })
await db.initialize()
cleanUp.defer(() => db.destroy())
await migrate(db)
const receiver = await startProcess(cleanUp, 'bench/webhooks/receiver.ts')
const bare = await startProcess(cleanUp, 'bench/webhooks/bare-sender.ts', { BENCH_SECRET: secret })
await startProcess(cleanUp, 'core/webhooks/dispatch/testing/worker.ts', workerEnvironment(postgres.url, directory))
const url = `http://127.0.0.1:${receiver.port}`

for (const [name, measure] of Object.entries(parts)) if (names.length === 0 || names.includes(name)) await measure()

async function throughput(): Promise<void> {
  const webhookIds = await addWebhooks(db, 10, url)
  const figures = { own: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const ownRate = await ownRateOver(webhookIds, perRound)
    const bareRate = await bareRateOver(perRound)
    if (round === 0) continue // Warms up.
    figures.own.push(ownRate)
    figures.bare.push(bareRate)
  }
  const ratios = figures.own.map((rate, round) => rate / (figures.bare[round] ?? Number.NaN))
  recordFigure('webhooksOut', ratios)
  printTable(
    ['sender', 'deliveries/s', 'min to max', 'of bare node:http'],
    [
      [
        'Assay',
        Math.round(median(figures.own)),
        range(figures.own, 0),
        `${median(ratios).toFixed(2)} (${range(ratios, 2)})`,
      ],
      ['bare node:http', Math.round(median(figures.bare)), range(figures.bare, 0), 1],
    ],
  )
}

async function ownRateOver(webhookIds: string[], count: number): Promise<number> {
  await db.query('UPDATE webhooks SET paused_at = now() WHERE id = ANY($1)', [webhookIds])
  await addDeliveries(db, webhookIds, count)
  await db.query('VACUUM ANALYZE webhook_deliveries')
  receiver.child.send({ expect: count, briefly: true })
  const arrived = once(receiver.child, 'message')
  const startedAt = performance.now()
  await resume(db, webhookIds)
  // Polling the database would affect the measurement.
  await arrived
  await untilDone(db, webhookIds)
  return (count * 1_000) / (performance.now() - startedAt)
}

async function bareRateOver(count: number): Promise<number> {
  const bodies = Array.from({ length: count }, (_, index) => bodyOf(String(index)))
  bare.child.send({ url, bodies })
  const [{ sentInMs }] = (await once(bare.child, 'message')) as [{ sentInMs: number }]
  return (count * 1_000) / sentInMs
}

/** Emits events at a rate per second, each in a separate transaction, and returns the delay of each. */
async function latencies(webhookIds: string[], perSecond: number, count: number): Promise<number[]> {
  const arriving = arrivals(receiver, count)
  const committing: Promise<unknown>[] = []
  const startedAt = performance.now()
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()))
    const id = webhookIds[index % webhookIds.length]
    const project = { id: `project-${id}`, name: 'Bench', repository: 'r', organizationId: null }
    const now = new Date().toISOString()
    const data = {
      id: newId(new Date()),
      name: 'x'.repeat(800),
      repository: 'r',
      branch: 'main',
      language: null,
      framework: null,
      createdAt: now,
      updatedAt: now,
    }
    const emitting = db.transaction((tx) =>
      emit(
        { db: tx, now: () => new Date(), config: { baseUrl: 'http://localhost:4000' } },
        { type: 'project.updated', project, data },
      ),
    )
    committing.push(emitting)
  }
  await Promise.all(committing)
  const arrived = await arriving
  await untilDone(db, webhookIds)
  // The clock starts before the transaction commits, so the delay is never underestimated.
  const rows = await db.query<{ id: string; at: Date }[]>(
    'SELECT id, created_at AS at FROM webhook_deliveries WHERE id = ANY($1)',
    [arrived.map(({ id }) => id)],
  )
  const emittedAt = new Map(rows.map(({ id, at }) => [id, at.getTime()]))
  return arrived.map(({ id, at }) => at - (emittedAt.get(id) ?? Number.NaN))
}

async function soonness(): Promise<void> {
  const webhookIds = await addWebhooks(db, 20, url, { paused: false })
  await latencies(webhookIds, 200, 400)
  const took = await latencies(webhookIds, 200, 2_000)
  console.log(`\nFrom commit to receiver at 200 a second: ${percentiles(took)}.`)
}

async function lateness(): Promise<void> {
  const webhookIds = await addWebhooks(db, 300, `${url}/fails-once`, { paused: false })
  const arriving = arrivals(receiver, 600)
  const due = new Map<string, number>()
  for (let start = 0; start < 300; start += 30) {
    await addDeliveries(db, webhookIds.slice(start, start + 30), 30)
    await resume(db, [])
    await sleep(70)
  }
  await sleep(300)
  const waiting = await db.query<{ id: string; at: Date }[]>(
    `SELECT id, next_attempt_at AS at FROM webhook_deliveries WHERE status = 'pending' AND webhook_id = ANY($1)`,
    [webhookIds],
  )
  for (const { id, at } of waiting) due.set(id, at.getTime())
  const late = (await arriving).flatMap(({ id, attempt, at }) =>
    attempt === 2 ? [at - (due.get(id) ?? Number.NaN)] : [],
  )
  const known = late.filter((ms) => !Number.isNaN(ms))
  console.log(
    `\n${known.length} retries arrived after they were due by: ${percentiles(known)}, min ${Math.min(...known).toFixed(1)} ms.`,
  )
}

async function besideHanging(): Promise<void> {
  const webhookIds = await addWebhooks(db, 9, url, { paused: false })
  await latencies(webhookIds, 50, 100)
  const alone = await latencies(webhookIds, 50, 500)
  const hangs = await addWebhooks(db, 1, `${url}/hangs`)
  await addDeliveries(db, hangs, hanging)
  await resume(db, hangs)
  await sleep(500)
  const beside = await latencies(webhookIds, 50, 500)
  await db.query('UPDATE webhooks SET paused_at = now() WHERE id = ANY($1)', [hangs])
  console.log(`\nNine endpoints at 50 a second, alone: ${percentiles(alone)}.`)
  console.log(`Next to one that never responds, with ${hanging} pending deliveries: ${percentiles(beside)}.`)
}

async function flatness(): Promise<void> {
  const rows: (string | number)[][] = []
  const add = (name: string, endpoints: number, measured: number[]) =>
    rows.push([name, endpoints, Math.round(median(measured)), range(measured, 0)])
  const groups: { endpoints: number; webhookIds: string[]; rates: number[] }[] = []
  for (const endpoints of [10, 500, 5_000]) {
    groups.push({ endpoints, webhookIds: await addWebhooks(db, endpoints, url), rates: [] })
  }
  // As autovacuum does within a minute. Until then, statements keep the plans for the few webhooks that there were.
  await db.query('ANALYZE webhooks')
  for (let round = 0; round <= rounds; round++) {
    for (const { webhookIds, rates } of groups) {
      const rate = await ownRateOver(webhookIds, perRound)
      if (round > 0) rates.push(rate) // The first round warms up.
    }
  }
  for (const { endpoints, rates } of groups) add('few', endpoints, rates)
  const [few, , many] = groups
  recordFigure('webhooksFlat', many?.rates.map((rate, round) => rate / (few?.rates[round] ?? Number.NaN)) ?? [])
  const costs = groups.map(({ endpoints, rates }) => ({ size: endpoints, ms: 1_000 / median(rates) }))
  recordGrowth({ work: 'one outgoing delivery', of: 'endpoints', costs })
  const [webhookId] = await addWebhooks(db, 1, url)
  await db.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, attempt_count, scheduled_attempts, trigger,
                                     response_status, delivered_at, created_at)
     SELECT 'finished-' || n, $1, 'test_run.completed', '{}', 'succeeded', 1, 1, 'scheduled', 200, now(), now()
       FROM generate_series(1, $2::integer) AS n`,
    [webhookId, finished],
  )
  const webhookIds = await addWebhooks(db, 10, url)
  const beside: number[] = []
  for (let round = 0; round < 3; round++) beside.push(await ownRateOver(webhookIds, perRound))
  add(`${finished}`, 10, beside)
  printTable(['finished deliveries', 'endpoints', 'deliveries/s', 'min to max'], rows)
}

function range(values: number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`
}

function percentiles(values: number[]): string {
  const parts = [0.5, 0.95, 0.99].map((part) => `p${part * 100} ${percentile(values, part).toFixed(1)} ms`)
  return `${parts.join(', ')}, max ${Math.max(...values).toFixed(1)} ms`
}
