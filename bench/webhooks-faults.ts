/**
 * Delivers with two processes, which are killed in turn, while the database is restarted once. Counts how many deliveries
 * are lost and how many arrive twice.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate } from '../core/migrate.ts'
import { findPostgresFiles } from '../local/postgres-files.ts'
import { createDataSource } from '../ormconfig.ts'
import { printTable } from './report.ts'
import { openScratch } from './scratch.ts'
import { addDeliveries, addWebhooks, resume, startProcess, workerEnvironment } from './webhooks/scene.ts'
import type { Arrival } from './webhooks/receiver.ts'

const count = Number(process.env['DELIVERIES'] ?? 10_000)
const kills = Number(process.env['KILLS'] ?? 6)

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const db = createDataSource({ url: postgres.url, poolSize: 3, onPoolError: () => {} })
await db.initialize()
cleanUp.defer(() => db.destroy())
await migrate(db)
const receiver = await startProcess(cleanUp, 'bench/webhooks/receiver.ts')
const environment = {
  ...workerEnvironment(postgres.url, directory),
  WEBHOOK_TIMEOUT_SECONDS: '10',
  LOG_LEVEL: 'silent',
  DISPATCHER_OPTIONS: JSON.stringify({ leaseMarginMs: 5_000 }),
}
const startWorker = () => startProcess(cleanUp, 'core/webhooks/dispatch/testing/worker.ts', environment)
const workers = [await startWorker(), await startWorker()]

const webhookIds = await addWebhooks(db, 20, `http://127.0.0.1:${receiver.port}`)
const ids = await addDeliveries(db, webhookIds, count)
await resume(db, webhookIds)

let underWay = 0
for (let fault = 0; fault <= kills; fault++) {
  await untilDelivered(((fault + 1) * count) / (kills + 2))
  if (fault === Math.floor(kills / 2)) await restartDatabase()
  else {
    const killed = workers.shift()?.child
    killed?.kill('SIGKILL')
    if (killed) await once(killed, 'exit')
    underWay += await inFlight()
    workers.push(await startWorker())
  }
}
await untilDelivered(count)
const arrived = await received()
const distinct = new Set(arrived.map(({ id }) => id))
printTable(
  ['deliveries', 'kills', 'restarts of the database', 'lost', 'twice', 'in flight at the faults'],
  [[count, kills, 1, ids.filter((id) => !distinct.has(id)).length, arrived.length - distinct.size, underWay]],
)

/** Kills the server and starts it again on the same port, where it recovers from its log. */
async function restartDatabase(): Promise<void> {
  underWay += await inFlight()
  await control('restart', '-l', join(postgres.directory, 'restarted.log'))
  // The new server is not a child of this process.
  cleanUp.defer(() => control('stop'))
}

async function control(what: string, ...rest: string[]): Promise<void> {
  const files = await findPostgresFiles(postgres.directory)
  const words = [what, '-D', files.directory, '-m', 'immediate', '-w', ...rest]
  await promisify(execFile)(join(dirname(files.postgres), 'pg_ctl'), words, { ...files.asUser, cwd: '/' })
}

async function inFlight(): Promise<number> {
  return (await counted("status = 'in_flight'")) ?? 0
}

async function untilDelivered(min: number): Promise<void> {
  while (((await counted("status = 'succeeded'")) ?? 0) < min) await sleep(20)
}

/** Returns undefined while the database is unavailable. */
async function counted(condition: string): Promise<number | undefined> {
  const sql = `SELECT count(*)::integer AS count FROM webhook_deliveries WHERE ${condition}`
  const rows = await db.query<{ count: number }[]>(sql).catch(() => [])
  return rows[0]?.count
}

async function received(): Promise<Arrival[]> {
  receiver.child.send({ expect: 0 })
  const [message] = (await once(receiver.child, 'message')) as [{ arrivals: Arrival[] }]
  return message.arrivals
}
