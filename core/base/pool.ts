import pg from 'pg'
import type { DataSource } from 'typeorm'
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js'

/** Returns the connection pool behind a data source. */
export function poolOf({ driver }: DataSource): pg.Pool {
  if (driver instanceof PostgresDriver && driver.master instanceof pg.Pool) return driver.master
  throw new Error('The data source does not use a Postgres pool.')
}

/** The callers that wait for a connection of one pool. */
export interface PoolQueue {
  readonly length: number
  /** How long the caller at the head of the queue has waited; 0 for an empty queue. */
  headWaitMs(): number
}

/** Measures the queue of a pool. The pool itself reports only the length, which does not show how fast it moves. */
export function measureQueue(pool: pg.Pool): PoolQueue {
  const connect = pool.connect.bind(pool) as (done: (...result: unknown[]) => void) => void
  const waitingSince = new Set<{ at: number }>()
  const measured = (done: (...result: unknown[]) => void) => {
    const caller = { at: performance.now() }
    waitingSince.add(caller)
    connect((...result) => {
      waitingSince.delete(caller)
      done(...result)
    })
  }
  const asPromise = () =>
    new Promise((resolve, reject) => measured((error, client) => (error ? reject(error) : resolve(client))))
  pool.connect = ((done?: Parameters<typeof measured>[0]) =>
    done ? measured(done) : asPromise()) as typeof pool.connect
  return {
    get length() {
      return waitingSince.size
    },
    headWaitMs() {
      const [head] = waitingSince
      return head ? performance.now() - head.at : 0
    },
  }
}
