import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { DataSource } from 'typeorm'
import { sha256 } from '../../base/crypto.ts'
import type { Logger } from '../../base/log.ts'
import { poolOf } from '../../base/pool.ts'
import type { Rule } from './rules.ts'

export type Counter = Pick<RateLimiterAbstract, 'consume' | 'reward' | 'penalty' | 'delete'>

/** Where points are counted: a table that all processes share, and each process's memory while the table fails. */
export interface CounterStore {
  /**
   * @param blockInMemory - a key that is used up costs no database call until its period ends; giving points back has
   *   no effect on it
   */
  counter(name: string, rule: Rule, options?: { blockInMemory: boolean }): Counter
  /** Counts in this process alone. */
  local(name: string, rule: Rule): Counter
}

/** A database that stalls is a database that fails. */
const queryTimeoutMs = 1_000
/** How long the table is left alone after it failed. */
const pauseMs = 1_000

export function createCounterStore(dataSource: DataSource, log: Logger): CounterStore {
  const storeClient = watchedPool(poolOf(dataSource), log)
  return {
    counter: (name, { points, seconds }, { blockInMemory } = { blockInMemory: false }) => {
      const options = { keyPrefix: name, points, duration: seconds }
      const shared = new RateLimiterPostgres({
        ...options,
        storeClient,
        storeType: 'client',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: false,
        inMemoryBlockOnConsumed: blockInMemory ? points : 0,
      })
      return withFallback(shared, new BoundedMemory(options))
    },
    local: (name, { points, seconds }) => new BoundedMemory({ keyPrefix: name, points, duration: seconds }),
  }
}

/**
 * Counts in memory while the table fails. A full pool is no failure of the table: memory would grant every guess of a
 * flood the points of the rule again, so the call ends with 503.
 *
 * The library's own `insuranceLimiter` cannot tell the two apart.
 */
function withFallback(shared: Counter, memory: Counter): Counter {
  const fallBack = async (work: (counter: Counter) => Promise<RateLimiterRes>) => {
    try {
      return await work(shared)
    } catch (failure) {
      if (failure instanceof RateLimiterRes || isPoolFull(failure)) throw failure
      return work(memory)
    }
  }
  return {
    // The memory follows the table, so that its failure does not grant the points of the rule a second time.
    consume: (key, points) =>
      fallBack(async (counter) => {
        const state = await counter.consume(key, points)
        if (counter === shared) await memory.penalty(key, points)
        return state
      }),
    reward: (key, points) =>
      fallBack(async (counter) => {
        const state = await counter.reward(key, points)
        if (counter === shared) await memory.reward(key, points)
        return state
      }),
    penalty: (key, points) => fallBack((counter) => counter.penalty(key, points)),
    async delete(key) {
      const wasKnown = await memory.delete(key)
      return shared.delete(key).catch(() => wasKnown)
    },
  }
}

/** pg-pool's own words where no connection became free in time; it gives them no code. */
const isPoolFull = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** The one method of a client that the library calls. The log shows when an outage begins and ends. */
function watchedPool(pool: pg.Pool, log: Logger): { query(query: pg.QueryConfig): Promise<pg.QueryResult> } {
  let outage: { error: unknown; tryAgainAt: number } | undefined
  const refuseDuringOutage = () => {
    if (outage && Date.now() < outage.tryAgainAt) throw outage.error
  }
  const run = async (query: pg.QueryConfig) => {
    const client = await pool.connect()
    let broken = false
    // Without a listener, a connection that breaks outside of a query would end the process.
    const onError = () => void (broken = true)
    client.on('error', onError)
    try {
      // The outage may have begun while this call waited for a connection.
      refuseDuringOutage()
      // The types of pg do not know this setting.
      const limited = { ...query, query_timeout: queryTimeoutMs }
      return await client.query<pg.QueryResultRow>(limited)
    } catch (error) {
      broken = true
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }
  return {
    async query(query) {
      refuseDuringOutage()
      try {
        const result = await run(query)
        if (outage) log.info('limits are counted in the database again')
        outage = undefined
        return result
      } catch (error) {
        if (isPoolFull(error)) throw error
        if (!outage)
          log.error({ err: error }, 'limits cannot be counted in the database; each process counts for itself')
        outage = { error, tryAgainAt: Date.now() + pauseMs }
        throw error
      }
    },
  }
}

const slotCount = 16_384

/**
 * Counts in a fixed number of slots, since the library's memory grows with every new key. Two keys that share a slot
 * share its points: under a flood of addresses this gets too strict, and never forgets anybody. Which keys those are
 * nobody can tell, as each process has salt of its own.
 */
class BoundedMemory extends RateLimiterMemory {
  readonly #salt = randomBytes(16).toString('hex')

  override getKey(key: string | number): string {
    return super.getKey(Number.parseInt(sha256(`${this.#salt}${key}`).slice(0, 8), 16) % slotCount)
  }
}
