import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import { isDatabaseUnavailable } from '../../base/retry.ts'
import { type BreakerRules, breakerRules } from './breaker.ts'
import { type Claim, claimDue } from './claim.ts'
import { discoverDue } from './discover.ts'
import { DueEndpoints, type Endpoint } from './due-endpoints.ts'
import { startListener } from './listener.ts'
import { Loop } from './loop.ts'
import { cancelWithdrawn, releaseClaims, releaseExpired } from './release.ts'
import { type Result, writeResults } from './results.ts'
import { createSender } from './send.ts'
import { Slots } from './slots.ts'

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

const minPollMs = 1_000
/** With very many endpoints it polls less often, so that polls take at most this share of the time. */
const maxPollShare = 0.05
/** Endpoints per claim statement. */
const endpointsPerClaim = 200
/** Results wait at most this long, so that many are written in one transaction. */
const batchResultsMs = 3

/**
 * Three loops run concurrently, so that due deliveries wait neither for the poll nor for results: `looking` finds
 * endpoints with deliveries, `claiming` claims due deliveries and sends them, and `writing` stores their results.
 */
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
  const due = new DueEndpoints(now)
  const slots = new Slots(concurrency)
  const inFlight = new Map<Claim, Promise<void>>()
  /** Results that are not written yet. New ones are appended at any time, also while others are being written. */
  const ended: Result[] = []
  const cutOff = new AbortController()

  const look = async (): Promise<number> => {
    const startedAt = performance.now()
    await cancelWithdrawn(db)
    const released = await releaseExpired(db, now(), { attempts: retryMs.length, leaseMs })
    for (const endpoint of [...released, ...(await discoverDue(db))]) due.add(endpoint, endpoint.dueAt)
    claiming.wake()
    const tookMs = performance.now() - startedAt
    return Math.max(minPollMs, tookMs / maxPollShare) - tookMs
  }

  const claim = async (): Promise<number> => {
    const shares = due.divide(slots, { endpoints: endpointsPerClaim, claimsEach: perEndpoint })
    if (shares.length === 0) return due.untilNext()
    const claimed = await claimDue(db, shares, now(), { perEndpoint, leaseMs, breaker }).catch((error: unknown) => {
      for (const { endpoint, maxClaims } of shares) {
        slots.release(endpoint.owners, maxClaims)
        due.add(endpoint, now())
      }
      throw error
    })
    for (const { endpoint, maxClaims, claims, dueAt, isFull } of claimed) {
      slots.release(endpoint.owners, maxClaims - claims.length)
      for (const one of claims) inFlight.set(one, send(one))
      if (dueAt) due.add(endpoint, dueAt)
      if (!isFull) due.hasCapacity(endpoint)
    }
    return 0
  }

  const send = async (claim: Claim): Promise<void> => {
    const outcome = await attempt(claim, cutOff.signal)
    inFlight.delete(claim)
    if (cutOff.signal.aborted) return
    ended.push({ claim, outcome, endedAt: now() })
    if (ended.length === 1) setTimeout(() => writing.wake(), batchResultsMs)
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
    for (const { claim } of results) {
      slots.release(claim.endpoint.owners)
      due.deliveryEnded(claim.endpoint)
    }
    claiming.wake()
    return ended.length > 0 ? 0 : Number.POSITIVE_INFINITY
  }

  const write = async (results: Result[]): Promise<void> => {
    for (const { claim, verdict } of await writeResults(services, db, results, { retryMs, breaker })) {
      if ('nextAttemptAt' in verdict) due.add(claim.endpoint, verdict.nextAttemptAt)
    }
  }

  const looking = new Loop({ name: 'looking for deliveries', log, step: look })
  const claiming = new Loop({ name: 'claiming deliveries', log, step: claim })
  const writing = new Loop({ name: 'storing the outcomes of deliveries', log, step: writeEnded })
  const loops = [looking, claiming, writing]
  const working = Promise.all(loops.map((loop) => loop.run()))

  const onNotification = (endpoints: Endpoint[]) => {
    for (const endpoint of endpoints) due.add(endpoint, now())
    claiming.wake()
    if (endpoints.length === 0) looking.wake()
  }
  const listener = listening ? startListener({ databaseUrl: config.databaseUrl, log, onNotification }) : undefined

  const stop = async (): Promise<void> => {
    for (const loop of loops) loop.stop()
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
