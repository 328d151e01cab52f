import type { EntityManager } from 'typeorm'
import { rateLimited, unavailable } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'

declare module '../base/context.ts' {
  interface Services {
    changes: Changes
  }
}

/** A table whose records calls wait for. */
export interface WatchedRecords {
  name: string
  /** Selects `id` and `state`, a text, of the records with the ids `$1`. Records that are missing have no state. */
  states: string
}

export interface WaitOptions {
  /** The state that the call knows; undefined for a missing record. */
  known: string | undefined
  milliseconds: number
  /** Each of them ends the wait. */
  signals: readonly AbortSignal[]
  /** The waits of one caller are limited. */
  caller: string
}

/** Lets calls wait for changes of records without using a connection. */
export interface Changes extends AsyncDisposable {
  /**
   * Returns the state of the record as soon as it differs from `known`, or `known` when the time is up or a signal
   * aborts. Never fails because of the database.
   *
   * @throws AppError 429 if the caller has too many waiting calls; 503 if the process has
   */
  until(records: WatchedRecords, id: string, options: WaitOptions): Promise<string | undefined>
  /** Looks for changes soon, because this process has just made one. */
  lookSoon(): void
}

/** One query for all waiting calls takes so little that they learn of a change at once. */
const intervalMs = 100
/** Much often ends together. */
const soonMs = 10
/** Generous, because a waiting call costs little more than its network connection. */
const maxPerCaller = 1_000
const max = 3_000

interface Waiter {
  known: string | undefined
  wake: (state: string | undefined) => void
}

/**
 * Polls the states of all records that calls wait for, with one query per table and interval, however many calls wait.
 * Nothing is polled while no call waits.
 */
export function watchChanges(db: EntityManager, log: Logger): Changes {
  const tables = new Map<WatchedRecords, Map<string, Set<Waiter>>>()
  const held = new Map<string, number>()
  let total = 0
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let isChanged = false
  let isClosed = false

  const poll = async () => {
    await Promise.all(
      [...tables].map(async ([records, waiting]) => {
        // Others come while the query runs.
        const asked = [...waiting].map(([id, waiters]) => ({ id, waiters: [...waiters] }))
        const ids = asked.map(({ id }) => id)
        const rows = await db.query<{ id: string; state: string }[]>(records.states, [ids])
        const states = new Map(rows.map(({ id, state }) => [id, state]))
        for (const { id, waiters } of asked) {
          const state = states.get(id)
          for (const waiter of waiters) if (state !== waiter.known) waiter.wake(state)
        }
      }),
    )
  }
  const schedule = () => {
    if (timer || polling || isClosed || tables.size === 0) return
    timer = setTimeout(look, isChanged ? soonMs : intervalMs)
  }
  const look = () => {
    timer = undefined
    isChanged = false
    polling = poll()
      .catch((error: unknown) => log.warn({ err: error }, 'cannot look for changes that calls wait for'))
      .finally(() => {
        polling = undefined
        schedule()
      })
  }

  const take = (caller: string): (() => void) => {
    const own = held.get(caller) ?? 0
    if (own >= maxPerCaller) {
      throw rateLimited(`${own} of your calls are waiting for results, which is the maximum. Try again later.`, 10)
    }
    if (total >= max) throw unavailable('Too many calls are waiting for results. Try again in 10 s.', 10)
    held.set(caller, own + 1)
    total++
    return () => {
      total--
      const left = (held.get(caller) ?? 1) - 1
      if (left > 0) held.set(caller, left)
      else held.delete(caller)
    }
  }

  const add = (records: WatchedRecords, id: string, waiter: Waiter): (() => void) => {
    const waiting = tables.get(records) ?? new Map<string, Set<Waiter>>()
    const waiters = waiting.get(id) ?? new Set()
    tables.set(records, waiting.set(id, waiters.add(waiter)))
    schedule()
    return () => {
      waiters.delete(waiter)
      if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id)
      if (waiting.size === 0 && tables.get(records) === waiting) tables.delete(records)
    }
  }

  return {
    async until(records, id, { known, milliseconds, signals, caller }) {
      const release = take(caller)
      try {
        if (milliseconds <= 0 || isClosed || signals.some(({ aborted }) => aborted)) return known
        return await new Promise((resolve) => {
          const giveUp = () => wake(known)
          const end = setTimeout(giveUp, milliseconds)
          const wake = (state: string | undefined) => {
            clearTimeout(end)
            for (const signal of signals) signal.removeEventListener('abort', giveUp)
            remove()
            resolve(state)
          }
          const remove = add(records, id, { known, wake })
          for (const signal of signals) signal.addEventListener('abort', giveUp)
        })
      } finally {
        release()
      }
    },
    lookSoon() {
      if (isChanged) return
      isChanged = true
      if (!timer) return
      clearTimeout(timer)
      timer = setTimeout(look, soonMs)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      for (const waiting of tables.values()) {
        for (const waiters of waiting.values()) for (const { known, wake } of waiters) wake(known)
      }
      await polling
    },
  }
}
