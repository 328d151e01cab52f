/**
 * Records rows of the audit log from 50 concurrent callers, each row with its own commit, until every row is chained and
 * the chain is verified. The peer inserts the same rows one commit each into a table with the same indexes and no chain.
 * Argument: how many rows (10,000).
 */
import { availableParallelism, loadavg } from 'node:os'
import type { DataSource } from 'typeorm'
import { createLog } from '../core/base/log.ts'
import { newId } from '../core/base/ids.ts'
import { poolOf } from '../core/base/pool.ts'
import { createAuditChain } from '../core/identity/audit/chainer.ts'
import { type AuditContext, recordAudit } from '../core/identity/audit/record.ts'
import { verifyAuditLog } from '../core/identity/audit/verify.ts'
import { emptyAuditLog } from '../core/identity/audit/testing.ts'
import { migrate } from '../core/migrate.ts'
import { testConfig } from '../core/testing/config.ts'
import { createDataSource } from '../ormconfig.ts'
import { median, printTable, recordFigure, recordGrowth } from './report.ts'
import { openScratch } from './scratch.ts'

const rounds = Number(process.env['ROUNDS'] ?? 5)
const count = Number(process.argv[2] ?? 10_000)
const callers = 50

await using cleanUp = new AsyncDisposableStack()
const { directory, postgres } = await openScratch(cleanUp)
const config = testConfig({ databaseUrl: postgres.url, dataDir: directory })
const onPoolError = (error: unknown) => console.error(error)
const dataSource = await createDataSource({ url: postgres.url, poolSize: callers, onPoolError }).initialize()
cleanUp.defer(() => dataSource.destroy())
await migrate(dataSource)
const log = createLog('error')
const auditChain = cleanUp.use(createAuditChain({ config, log }))
const client = { ipAddress: '192.0.2.7', userAgent: 'A browser' }
const context: AuditContext = { db: dataSource.manager, config, log, now: () => new Date(), client, auditChain }

const ways = {
  'plain inserts': insertPlain,
  'audit rows': () => inParallel((number) => recordAudit(context, 'login', `user ${number % 100}`, { number })),
  'audit rows, each in a transaction': () =>
    inParallel((number) =>
      dataSource.transaction((db) => recordAudit({ ...context, db }, 'login', `user ${number % 100}`, { number })),
    ),
}
type Way = keyof typeof ways
const names = Object.keys(ways) as Way[]
const perSecond: Record<Way, number[]> = {
  'plain inserts': [],
  'audit rows': [],
  'audit rows, each in a transaction': [],
}

await preparePlain(dataSource)
for (let round = -1; round < rounds; round++) {
  for (const name of names) {
    await emptyAuditLog({ dataSource })
    const start = performance.now()
    await ways[name]()
    if (name !== 'plain inserts') await verifyRows(count)
    // The first round opens the connections and prepares the statements.
    if (round >= 0) perSecond[name].push((count / (performance.now() - start)) * 1_000)
  }
}
recordFigure('auditRows', perSecond['audit rows'])

console.log(`\n${count} rows, ${callers} callers; ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}\n`)
printTable(
  ['', 'rows/s', 'lowest', 'highest', 'of plain inserts'],
  names.map((name) => [
    name,
    Math.round(median(perSecond[name])),
    Math.round(Math.min(...perSecond[name])),
    Math.round(Math.max(...perSecond[name])),
    (median(perSecond[name]) / median(perSecond['plain inserts'])).toFixed(2),
  ]),
)

const costs = []
for (const factor of [1, 10, 100]) {
  await emptyAuditLog({ dataSource })
  await fillLog(dataSource, factor * count)
  await dataSource.query('ANALYZE audit_logs')
  const start = performance.now()
  await ways['audit rows']()
  costs.push({ size: factor * count, ms: performance.now() - start })
}
recordGrowth({ work: `recording and chaining ${count} audit rows`, of: 'rows in the log', costs })
console.log()
printTable(
  ['rows already in the log', `ms for ${count} more`],
  costs.map(({ size, ms }) => [size, Math.round(ms)]),
)

/** Calls `record` `count` times, from all callers. */
async function inParallel(record: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const caller = async () => {
    while (next < count) await record(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function verifyRows(rows: number): Promise<void> {
  const verdict = await verifyAuditLog(dataSource, config.secretKey)
  if (verdict.rows !== rows || verdict.broken || verdict.unchained) throw new Error(JSON.stringify(verdict))
}

async function preparePlain(db: DataSource): Promise<void> {
  await db.query('CREATE TABLE plain_logs (LIKE audit_logs INCLUDING ALL)')
  await db.query('ALTER TABLE plain_logs ALTER sequence ADD GENERATED ALWAYS AS IDENTITY')
}

async function insertPlain(): Promise<void> {
  const pool = poolOf(dataSource)
  await pool.query('TRUNCATE plain_logs')
  const text = `INSERT INTO plain_logs (id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
  await inParallel((number) => {
    const now = new Date()
    const { ipAddress, userAgent } = client
    const values = [newId(now), `user ${number % 100}`, 'login', ipAddress, userAgent, { number }, now, 'x'.repeat(43)]
    return pool.query({ name: 'plain', text, values })
  })
}

/** Adds rows without valid hashes, which only verification reads. */
async function fillLog(db: DataSource, rows: number): Promise<void> {
  await db.query(
    `INSERT INTO audit_logs (sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
     SELECT n, 'row ' || n, 'user ' || n % 100, 'login', '192.0.2.7', 'A browser', jsonb_build_object('number', n),
            now(), repeat('x', 43)
       FROM generate_series(1, $1::integer) AS n`,
    [rows],
  )
}
