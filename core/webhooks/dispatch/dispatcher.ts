import type { DataSource } from 'typeorm'
import type { Services } from '../../base/context.ts'
import { isAway } from '../../base/retry.ts'
import { Agenda } from './agenda.ts'
import { type BreakerRules, breakerRules } from './breaker.ts'
import { type Claim, claimDue } from './claim.ts'
import { cancelWithdrawn } from './cancel.ts'
import { discoverAll, discoverRecent } from './discover.ts'
import { Gate } from './gate.ts'
import { giveBack, reap } from './give-back.ts'
import { startListener } from './listener.ts'
import { Owners } from './owners.ts'
import { repeat } from './repeat.ts'
import { type Result, writeResults } from './results.ts'
import { createSender } from './send.ts'

export interface DispatcherOptions {
  /** Deliveries that this process has under way at once. */
  concurrency?: number
  /** Deliveries of one endpoint that all processes together have under way at once. */
  perEndpoint?: number
  breaker?: BreakerRules
  /** How long attempts under way may take when it stops. */
  drainMs?: number
  /** How long the database may take then, before that and after it. */
  settleMs?: number
  /** How much longer than an attempt a process may be silent before others take over what it has under way. */
  leaseMarginMs?: number
  /** Whether it listens for news; without, it looks every second. */
  listening?: boolean
}

/** Sends what is due until it is disposed of. Any number of processes may do so on one database. */
export type Dispatcher = AsyncDisposable

const lookEveryMs = 1_000
/** A round over all endpoints takes at most this part of the time. */
const roundShare = 0.02
/** Endpoints to take from in one statement. */
const endpointsAtOnce = 200
/** The longest that what has ended waits for company, so that many are written together. */
const gatherMs = 3
/** After which somebody else has let go of an endpoint. */
const lockedMs = 5
/** Of one endpoint, for what somebody asked for and waits for, however full it is. */
const askedBeyond = 2
/** How soon to look again at webhooks whose owner has as much under way as may be. */
const crowdedMs = 50

export function startDispatcher(
  services: Pick<Services, 'config' | 'log' | 'now'>,
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
  const agenda = new Agenda()
  const owners = new Owners(concurrency)
  const looking = new Gate()
  const claiming = new Gate()
  const writing = new Gate()
  const underWay = new Map<Claim, Promise<void>>()
  const cutOff = new AbortController()
  /** What came of attempts and is not written yet; new ones come to the end of it at any time. */
  const ended: (Result & { claim: Claim })[] = []
  const stopping = new AbortController()
  let roundAt = 0
  let writes = 0

  const send = async (claim: Claim): Promise<void> => {
    const outcome = await attempt(claim, cutOff.signal)
    underWay.delete(claim)
    if (cutOff.signal.aborted) return
    ended.push({ claim, outcome, endedAt: now() })
    writing.openWithin(gatherMs)
  }

  const write = async (results: Result[]): Promise<void> => {
    for (const { webhookId, verdict } of await writeResults(services, db, results, { retryMs, breaker })) {
      if ('nextAttemptAt' in verdict) agenda.expect(webhookId, verdict.nextAttemptAt)
    }
    writes++
    for (const { claim } of results) agenda.madeRoom(claim.webhookId, now())
  }

  const writeEnded = async (): Promise<number> => {
    const results = [...ended]
    if (results.length === 0) return Number.POSITIVE_INFINITY
    try {
      await write(results)
    } catch (error) {
      if (isAway(error)) throw error
      // One that cannot be written takes no others with it. It is sent again once its lease is over.
      for (const result of results) {
        await write([result]).catch((cause: unknown) => {
          if (isAway(cause)) throw cause
          log.error({ err: cause, deliveryId: result.claim.id }, 'cannot store the outcome of a delivery')
        })
      }
    }
    ended.splice(0, results.length)
    for (const { claim } of results) owners.ended(claim.endpoint.owners)
    claiming.open()
    return ended.length > 0 ? 0 : Number.POSITIVE_INFINITY
  }

  const look = async (): Promise<number> => {
    const startedAt = performance.now()
    const complete = startedAt >= roundAt
    const released = await reap(db, now(), { attempts: retryMs.length, leaseMs })
    if (complete) await cancelWithdrawn(db)
    const found = await (complete ? discoverAll(db) : discoverRecent(db, now()))
    for (const { webhookId, nextAttemptAt } of [...released, ...found]) agenda.expect(webhookId, nextAttemptAt)
    if (complete) roundAt = startedAt + Math.max(lookEveryMs, (performance.now() - startedAt) / roundShare)
    claiming.open()
    return startedAt + lookEveryMs - performance.now()
  }

  const claim = async (): Promise<number> => {
    while (!stopping.signal.aborted && owners.free > 0) {
      const due = agenda.take(now(), endpointsAtOnce)
      if (due.length === 0) return agenda.nextAt() - now().getTime()
      try {
        await owners.learn(db, due)
        const shares = owners.share(due, perEndpoint)
        if (shares.size > 0) await claimFrom(shares)
        const crowded = new Date(now().getTime() + crowdedMs)
        for (const id of due) if (!shares.has(id)) agenda.expect(id, owners.roomFor(id) > 0 ? now() : crowded)
      } catch (error) {
        for (const webhookId of due) agenda.expect(webhookId, now())
        throw error
      }
    }
    return Number.POSITIVE_INFINITY
  }

  const claimFrom = async (shares: ReadonlyMap<string, number>): Promise<void> => {
    const at = now()
    const writesBefore = writes
    const mostAsked = perEndpoint + askedBeyond
    const { claims, endpoints, locked } = await claimDue(db, shares, at, { mostAsked, leaseMs, breaker })
    for (const claimed of claims) {
      owners.began(claimed.endpoint.owners)
      underWay.set(claimed, send(claimed))
    }
    for (const { id, room, busy, taken, asked, openUntil, nextAttemptAt } of endpoints) {
      if (nextAttemptAt) agenda.expect(id, nextAttemptAt)
      if (openUntil !== null && openUntil > at) agenda.expect(id, openUntil)
      const full = busy + taken >= (room > 0 ? room : mostAsked)
      const share = shares.get(id) ?? 0
      // Others may have needed less than their shares.
      const tooLittle = room === share && owners.shareOf(id, perEndpoint) > share
      // It may be full no longer: what was written in the meantime did not know that anybody waits.
      if (asked === share || (full && (tooLittle || writes !== writesBefore))) agenda.expect(id, at)
      else if (full) agenda.waitForRoom(id)
    }
    const later = new Date(at.getTime() + lockedMs)
    for (const webhookId of locked) agenda.expect(webhookId, later)
  }

  const onNews = (webhookIds: string[]) => {
    for (const webhookId of webhookIds) agenda.expect(webhookId, now())
    if (webhookIds.length === 0) {
      roundAt = 0
      looking.open()
    }
    claiming.open()
  }

  const listener = listening ? startListener({ databaseUrl: config.databaseUrl, log, onNews }) : undefined
  const until = stopping.signal
  // Side by side: what is due shall wait neither for the disk nor for a look at everything.
  const working = Promise.all([
    repeat({ step: look, gate: looking, until, log, name: 'looking for deliveries' }),
    repeat({ step: claim, gate: claiming, until, log, name: 'taking up deliveries' }),
    repeat({ step: writeEnded, gate: writing, until, log, name: 'storing the outcomes of deliveries' }),
  ])

  const stop = async (): Promise<void> => {
    stopping.abort()
    for (const gate of [looking, claiming, writing]) gate.open()
    await listener?.[Symbol.asyncDispose]()
    await within(settleMs, working)
    await within(drainMs, Promise.all(underWay.values()))
    const left = [...underWay.keys()]
    cutOff.abort(new Error('The program is stopping.'))
    const settled = working.then(async () => {
      await Promise.all(underWay.values())
      await writeEnded()
      if (left.length > 0) await giveBack(db, left, now())
    })
    try {
      if (!(await within(settleMs, settled))) throw new Error('The database does not answer.')
    } catch (error) {
      // Their leases end by themselves.
      log.error({ err: error }, 'cannot store the outcomes of the last deliveries; they will be sent again')
    }
  }
  let stopped: Promise<void> | undefined
  return { [Symbol.asyncDispose]: () => (stopped ??= stop()) }
}

/** Whether the work was done in time; it goes on if not. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = Promise.withResolvers<false>()
  const timeout = setTimeout(timer.resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
