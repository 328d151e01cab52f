import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import { isDatabaseUnavailable } from '../../base/retry.ts'
import { DueEndpoints } from './due-endpoints.ts'
import { type BreakerRules, breakerRules } from './breaker.ts'
import { type Claim, claimDue } from './claim.ts'
import { cancelWithdrawn } from './cancel.ts'
import { discoverAll, discoverRecent } from './discover.ts'
import { WakeSignal } from './wake-signal.ts'
import { releaseClaims, releaseExpired } from './release.ts'
import { startListener } from './listener.ts'
import { Owners } from './owners.ts'
import { repeat } from './repeat.ts'
import { type Result, writeResults } from './results.ts'
import { createSender } from './send.ts'

export interface DispatcherOptions {
  /** The maximum number of deliveries that this process has in flight. */
  concurrency?: number
  /** The maximum number of deliveries of one endpoint that all processes together have in flight. */
  perEndpoint?: number
  breaker?: BreakerRules
  /** How long attempts in flight may take when it stops. */
  drainMs?: number
  /** How long the database may take before and after that. */
  settleMs?: number
  /** Added to the attempt timeout: after this time other processes take over a delivery. */
  leaseMarginMs?: number
  /** Whether it listens for notifications; otherwise it only polls every second. */
  listening?: boolean
}

/** Sends due deliveries until it is disposed of. Any number of processes may run one on the same database. */
export type Dispatcher = AsyncDisposable

const pollIntervalMs = 1_000
/** A query over all endpoints takes at most this share of the time. */
const fullPollShare = 0.02
/** Endpoints per claim statement. */
const endpointsPerClaim = 200
/** Results wait at most this long, so that many are written in one transaction. */
const batchResultsMs = 3
/** When to retry an endpoint that another process is claiming from. */
const lockedRetryMs = 5
/** Extra slots per endpoint for manual and test deliveries, so that a backlog does not delay them. */
const extraForRequested = 2

export function startDispatcher(
  services: Pick<Services, 'config' | 'log' | 'now' | 'auditChain'>,
  dataSource: DataSource,
  options: DispatcherOptions = {},
): Dispatcher {
  const { concurrency = 512, perEndpoint = 16, breaker = breakerRules, drainMs = 10_000 } = options
  const { settleMs = 3_000, leaseMarginMs = 15_000, listening = true } = options
  const { config, log, now } = services
  const { retryMs, timeoutMs } = config.webhooks
  const leaseMs = timeoutMs + leaseMarginMs
  const db = dataSource.manager
  const attempt = createSender(services)
  const dueEndpoints = new DueEndpoints()
  const owners = new Owners(concurrency)
  const looking = new WakeSignal()
  const claiming = new WakeSignal()
  const writing = new WakeSignal()
  const inFlight = new Map<Claim, Promise<void>>()
  const cutOff = new AbortController()
  /** Results that are not written yet. New ones are appended at any time, also while others are being written. */
  const ended: (Result & { claim: Claim })[] = []
  const stopping = new AbortController()
  let roundAt = 0
  let writes = 0

  const send = async (claim: Claim): Promise<void> => {
    const outcome = await attempt(claim, cutOff.signal)
    inFlight.delete(claim)
    if (cutOff.signal.aborted) return
    ended.push({ claim, outcome, endedAt: now() })
    writing.notifyWithin(batchResultsMs)
  }

  const write = async (results: Result[]): Promise<void> => {
    for (const { webhookId, verdict } of await writeResults(services, db, results, { retryMs, breaker })) {
      if ('nextAttemptAt' in verdict) dueEndpoints.add(webhookId, verdict.nextAttemptAt)
    }
    writes++
    for (const { claim } of results) dueEndpoints.capacityFreed(claim.webhookId, now())
  }

  const writeEnded = async (): Promise<number> => {
    const results = [...ended]
    if (results.length === 0) return Number.POSITIVE_INFINITY
    try {
      await write(results)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // Written one by one, so that one faulty result does not affect others. Its delivery is sent again after its lease.
      for (const result of results) {
        await write([result]).catch((cause: unknown) => {
          if (isDatabaseUnavailable(cause)) throw cause
          log.error({ err: cause, deliveryId: result.claim.id }, 'cannot store the outcome of a delivery')
        })
      }
    }
    ended.splice(0, results.length)
    for (const { claim } of results) owners.ended(claim.endpoint.owners)
    claiming.notify()
    return ended.length > 0 ? 0 : Number.POSITIVE_INFINITY
  }

  const look = async (): Promise<number> => {
    const startedAt = performance.now()
    const complete = startedAt >= roundAt
    const released = await releaseExpired(db, now(), { attempts: retryMs.length, leaseMs })
    if (complete) await cancelWithdrawn(db)
    const found = await (complete ? discoverAll(db) : discoverRecent(db, now()))
    for (const { webhookId, nextAttemptAt } of [...released, ...found]) dueEndpoints.add(webhookId, nextAttemptAt)
    if (complete) roundAt = startedAt + Math.max(pollIntervalMs, (performance.now() - startedAt) / fullPollShare)
    claiming.notify()
    return startedAt + pollIntervalMs - performance.now()
  }

  const claim = async (): Promise<number> => {
    while (!stopping.signal.aborted) {
      const at = now()
      // An endpoint whose owner has no slot stays due until a delivery ends.
      const due = dueEndpoints.take(at, endpointsPerClaim, (id) => owners.capacityFor(id) > 0)
      if (due.length === 0) return dueEndpoints.nextAt(at) - now().getTime()
      try {
        await owners.learn(db, due)
        const shares = owners.share(due, perEndpoint)
        for (const id of due) if (!shares.has(id)) dueEndpoints.add(id, at)
        if (shares.size > 0) await claimFrom(shares)
      } catch (error) {
        for (const webhookId of due) dueEndpoints.add(webhookId, now())
        throw error
      }
    }
    return Number.POSITIVE_INFINITY
  }

  const claimFrom = async (shares: ReadonlyMap<string, number>): Promise<void> => {
    const at = now()
    const writesBefore = writes
    const maxRequested = perEndpoint + extraForRequested
    const rules = { perEndpoint, maxRequested, leaseMs, breaker }
    const { claims, endpoints, locked } = await claimDue(db, shares, at, rules)
    for (const claimed of claims) {
      owners.began(claimed.endpoint.owners)
      inFlight.set(claimed, send(claimed))
    }
    for (const { id, capacity, busy, taken, openUntil, nextAttemptAt } of endpoints) {
      if (nextAttemptAt) dueEndpoints.add(id, nextAttemptAt)
      if (openUntil !== null && openUntil > at) dueEndpoints.add(id, openUntil)
      const full = busy + taken >= (capacity > 0 ? capacity : maxRequested)
      // Results that were written meanwhile may have freed capacity before this endpoint was waiting for it.
      if (taken === shares.get(id) || (full && writes !== writesBefore)) dueEndpoints.add(id, at)
      else if (full) dueEndpoints.waitForCapacity(id)
    }
    const later = new Date(at.getTime() + lockedRetryMs)
    for (const webhookId of locked) dueEndpoints.add(webhookId, later)
  }

  const onNotification = (webhookIds: string[]) => {
    for (const webhookId of webhookIds) dueEndpoints.add(webhookId, now())
    if (webhookIds.length === 0) {
      roundAt = 0
      looking.notify()
    }
    claiming.notify()
  }

  const listener = listening ? startListener({ databaseUrl: config.databaseUrl, log, onNotification }) : undefined
  const until = stopping.signal
  // Concurrently, so that due deliveries wait neither for result writes nor for the poll.
  const working = Promise.all([
    repeat({ step: look, wake: looking, until, log, name: 'looking for deliveries' }),
    repeat({ step: claim, wake: claiming, until, log, name: 'claiming deliveries' }),
    repeat({ step: writeEnded, wake: writing, until, log, name: 'storing the outcomes of deliveries' }),
  ])

  const stop = async (): Promise<void> => {
    stopping.abort()
    for (const wake of [looking, claiming, writing]) wake.notify()
    await listener?.[Symbol.asyncDispose]()
    await within(settleMs, working)
    await within(drainMs, Promise.all(inFlight.values()))
    const left = [...inFlight.keys()]
    cutOff.abort(new Error('The program is stopping.'))
    const settled = working.then(async () => {
      await Promise.all(inFlight.values())
      await writeEnded()
      if (left.length > 0) await releaseClaims(db, left, now())
    })
    try {
      if (!(await within(settleMs, settled))) throw new Error('The database does not answer.')
    } catch (error) {
      // Other processes take these deliveries over when their leases end.
      log.error({ err: error }, 'cannot store the outcomes of the last deliveries; they will be sent again')
    }
  }
  let stopped: Promise<void> | undefined
  return { [Symbol.asyncDispose]: () => (stopped ??= stop()) }
}

/** Resolves to whether the work finished in time. It does not stop the work. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = Promise.withResolvers<false>()
  const timeout = setTimeout(timer.resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
