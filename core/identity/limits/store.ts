import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { DataSource } from 'typeorm'
import { sha256 } from '../../base/crypto.ts'
import type { Logger } from '../../base/log.ts'
import { poolOf } from '../../base/pool.ts'
import type { Rule } from './rules.ts'

export type Counter = Pick<RateLimiterAbstract, 'consume' | 'reward' | 'penalty' | 'delete'>

/** Counts points in a table that all processes share, and in each process's memory while the table is unavailable. */
export interface CounterStore {
  /**
   * @param blockInMemory - avoids database calls for a key without points until its period ends; returning points to
   *   such a key has no effect
   */
  counter(name: string, rule: Rule, options?: { blockInMemory: boolean }): Counter
  /** Counts in this process alone. */
  local(name: string, rule: Rule): Counter
}

/** A slower database counts as unavailable. A busy process exceeds a second, and counting in memory doubles the points. */
const queryTimeoutMs = 5_000
/** The pause before the table is tried again after a failure. */
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
 * Counts in memory while the table is unavailable. A full connection pool does not count as that: counting in memory
 * would double the points of a flood, so the call ends with 503.
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
    // Counts in memory too, so that a failure of the table does not grant all points again.
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

/** The message of pg-pool when no connection became free in time. The error has no code. */
const isPoolFull = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Implements the one client method that the library calls. Logs when an outage begins and ends. */
function watchedPool(pool: pg.Pool, log: Logger): { query(query: pg.QueryConfig): Promise<pg.QueryResult> } {
  let outage: { error: unknown; tryAgainAt: number } | undefined
  const refuseDuringOutage = () => {
    if (outage && Date.now() < outage.tryAgainAt) throw outage.error
  }
  const run = async (query: pg.QueryConfig) => {
    const client = await pool.connect()
    let broken = false
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
          log.error({ err: error }, 'limits cannot be counted in the database; each process counts on its own')
        outage = { error, tryAgainAt: Date.now() + pauseMs }
        throw error
      }
    },
  }
}

const slotCount = 16_384

/**
 * Counts in a fixed number of slots, because the library's memory grows with every new key. Keys with the same slot
 * share its points, so a flood of addresses makes the limit stricter, never weaker. An attacker cannot predict which
 * keys share a slot, because each process uses its own salt.
 */
class BoundedMemory extends RateLimiterMemory {
  readonly #salt = randomBytes(16).toString('hex')

  override getKey(key: string | number): string {
    return super.getKey(Number.parseInt(sha256(`${this.#salt}${key}`).slice(0, 8), 16) % slotCount)
  }
}
