import pg from 'pg'
import type { Services } from '../../base/context.ts'
import { chainBatch, missingRows } from './chain-batch.ts'

declare module '../../base/context.ts' {
  interface Services {
    auditChain: AuditChain
  }
}

/** Gives the committed rows of the audit log their numbers and hashes. */
export interface AuditChain extends AsyncDisposable {
  /** Returns when the committed row is in the chain, or at once if chaining is delayed. Never fails. */
  include(id: string): Promise<void>
  /** Chains every row that is committed when the call begins. Never fails. */
  chainAll(): Promise<void>
}

/** For the rows of other processes that stopped unexpectedly, and of attempts that failed. */
const everyMs = 5_000
/** After this, changes no longer wait for their rows, until a pass succeeds. */
const maxWaitMs = 2_000
/** Bounds the memory while chaining does not work. */
const maxExpected = 10_000

/**
 * Chains the rows of all processes: at the start, after each commit, every five seconds, and at the end. A pass takes all
 * rows that were committed since the last one, so concurrent changes share its transaction.
 */
export function createAuditChain({ config, log }: Pick<Services, 'config' | 'log'>): AuditChain {
  // Callers that wait hold connections of the other pools, so a connection of those could never become free.
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    application_name: 'assay',
    max: 1,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
  })
  pool.on('error', (error) => log.warn({ err: error }, 'a database connection broke'))
  pool.on('connect', (client) => client.on('error', () => {}))

  /** Rows that this process committed, until they are found in the chain. */
  const expected = new Set<string>()
  const reported = new Set<string>()

  const chainRows = async (client: pg.ClientBase) => {
    const committed = [...expected]
    let after: string | undefined = '0'
    while (after !== undefined) {
      const { chained, rejected, next } = await chainBatch(client, config.secretKey, after)
      // The log line is outside the database, so that deleting the last rows is detectable.
      for (const { id, sequence, action, hash } of chained) {
        expected.delete(id)
        log.info({ audit: { sequence, action, hash } }, 'audit')
      }
      for (const { id, position, action } of rejected) {
        if (reported.has(position)) continue
        reported.add(position)
        log.error({ id, action }, 'an unchained audit row was changed or forged; it stays out of the chain')
      }
      after = next
    }
    const elsewhere = committed.filter((id) => expected.delete(id))
    const missing = elsewhere.length > 0 ? await missingRows(client, elsewhere) : []
    for (const id of missing) log.error({ id }, 'an audit row was deleted before it was chained')
  }

  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let isDelayed = false
  let isClosed = false

  const pass = async () => {
    let client: pg.PoolClient | undefined
    let failure: unknown
    try {
      client = await pool.connect()
      await chainRows(client)
      isDelayed = false
    } catch (error) {
      failure = error
      isDelayed = true
      log.error({ err: error }, `audit rows were not chained; the next attempt follows within ${everyMs / 1_000} s`)
    } finally {
      client?.release(failure !== undefined)
    }
  }

  const start = (): Promise<void> => {
    following = undefined
    running = pass().finally(() => (running = undefined))
    return running
  }
  // A pass that is running may have read its rows already, so all calls during it share the following one.
  const chainAll = async (): Promise<void> => {
    if (isClosed) return
    await (running ? (following ??= running.then(start)) : start())
  }

  void chainAll()
  const timer = setInterval(() => void chainAll(), everyMs).unref()

  return {
    async include(id) {
      if (expected.size < maxExpected) expected.add(id)
      const chained = chainAll()
      if (isDelayed) return
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWaitMs))).then(() => {
        isDelayed = true
      })
      await Promise.race([chained, tooLate])
      clearTimeout(timer)
    },
    chainAll,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await chainAll()
      isClosed = true
      await (following ?? running)
      await pool.end()
    },
  }
}
