import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import {
  type IRateLimiterPostgresOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import type { DataSource } from 'typeorm'
import { sha256 } from '../../base/crypto.ts'
import { inBatches } from '../../base/in-batches.ts'
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
  const add = addInBatches(storeClient)
  return {
    counter: (name, { points, seconds }, { blockInMemory } = { blockInMemory: false }) => {
      const options = { keyPrefix: name, points, duration: seconds }
      const inMemoryBlockOnConsumed = blockInMemory ? points : 0
      const shared = new SharedCounter({ ...options, storeClient, inMemoryBlockOnConsumed }, add)
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

interface Added {
  key: string
  points: number
  /** When the period of the key ends if it begins now, in milliseconds since 1970. */
  expire: number
}

interface CounterRow {
  points: number
  expire: string
}

type AddPoints = (added: Added) => Promise<CounterRow>

/**
 * Adds the points of calls that arrive while a statement runs with the next one. With a statement for each call, the
 * limits would halve the throughput of the server, and calls of one token would wait for each other's row lock.
 *
 * Each call gets the count after its own points, as if there had been a statement for each.
 */
function addInBatches(client: StoreClient): AddPoints {
  const addAll = async (items: Added[]): Promise<CounterRow[]> => {
    const now = Date.now()
    const sums = new Map<string, Added>()
    for (const item of items) sums.set(item.key, { ...item, points: (sums.get(item.key)?.points ?? 0) + item.points })
    const of = <T>(value: (added: Added) => T) => Array.from(sums.values(), value)
    const values = [of(({ key }) => key), of(({ points }) => points), of(({ expire }) => expire), now]
    const { rows } = await client.query({ name: 'add-points', text: addPoints, values })
    const counts = new Map((rows as (CounterRow & { key: string })[]).map((row) => [row.key, row]))
    const results = items.toReversed().map(({ key, points }) => {
      const after = counts.get(key)
      if (!after) throw new Error('a counter was not returned')
      counts.set(key, { ...after, points: after.points - points })
      return after
    })
    return results.toReversed()
  }
  return inBatches(addAll, { size: 1_000, parallel: 1, retriesAlone: false })
}

/** In the order of the keys, so that two processes do not deadlock. */
const addPoints = `
  INSERT INTO rate_limits AS known (key, points, expire)
  SELECT key, points, expire FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS new (key, points, expire)
   ORDER BY key
  ON CONFLICT (key) DO UPDATE
     SET points = excluded.points + CASE WHEN known.expire <= $4 THEN 0 ELSE known.points END,
         expire = CASE WHEN known.expire <= $4 THEN excluded.expire ELSE known.expire END
  RETURNING key, points, expire`

/** The library's counter, with our statement in place of its own. */
class SharedCounter extends RateLimiterPostgres {
  readonly #add: AddPoints

  constructor(options: IRateLimiterPostgresOptions, add: AddPoints) {
    super({
      ...options,
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
    })
    this.#add = add
  }

  /** Called by the library to take and to return points. */
  protected async _upsert(key: string, points: number, msDuration: number): Promise<{ rows: CounterRow[] }> {
    return { rows: [await this.#add({ key, points, expire: Date.now() + msDuration })] }
  }
}

interface StoreClient {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** Implements the one client method that the library calls. Logs when an outage begins and ends. */
function watchedPool(pool: pg.Pool, log: Logger): StoreClient {
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
