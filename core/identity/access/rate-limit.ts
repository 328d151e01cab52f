import type Koa from 'koa'
import type { RequestState } from '../../http/request-state.ts'
import type { CallKind, Calls } from '../../http/route.ts'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Config } from '../../config.ts'
import type { Client } from '../../base/context.ts'
import { sha256 } from '../../base/crypto.ts'
import { AppError, rateLimited } from '../../base/errors.ts'
import { addressKey, secondsUntil } from '../limits/limits.ts'
import type { Rule } from '../limits/rules.ts'
import type { Counter, CounterStore } from '../limits/store.ts'
import { localOwnerEmail } from '../users/local-owner.ts'
import { readCookie, sessionCookie } from '../sessions/cookie.ts'
import { isWellFormedToken } from '../tokens/token-format.ts'
import { type Authenticated, bearerToken } from './authenticate.ts'

/** The counter that a request is charged to. */
interface Bucket {
  counter: Counter
  key: string
  rule: Rule
  /** What the rule counts, for the error message. */
  noun: string
}

const perMinute = (points: number): Rule => ({ points, seconds: 60 })
const perHour = (points: number): Rule => ({ points, seconds: 3_600 })

/** The number of valid tokens, and of valid sessions, that one process remembers. */
const maxRemembered = 10_000

/**
 * Authenticates the caller and enforces `RATE_LIMIT`: per token, per user for calls with a session, per address for all
 * others. A call is counted before its credential is looked up:
 *
 * - A call without a credential or with a malformed token counts against the address.
 * - A call with a session that this process has recently seen to be valid counts against its user: a team behind one
 *   address uses the dashboard, whose pages call often. Any other session counts against the address.
 * - A call with a token that this process has recently seen to be valid counts against the token.
 * - Any other well-formed token may be a guess. These look-ups have their own limit for each address, in the memory of
 *   this process. A valid token returns its point; an invalid one is charged to the address. Guessed tokens therefore
 *   end in 429 without a database call. Known tokens from the same address still work; unknown ones wait until the
 *   minute ends.
 *
 * `countAddress` counts the requests that need no caller: unknown paths and the documentation. `/health`, preflights
 * and accepted deliveries are exempt.
 */
export function createRequestLimit({ rateLimit, local }: Pick<Config, 'rateLimit' | 'local'>, store: CounterStore) {
  const bucketOf = rateLimit === 'by-type' ? bucketsByType(store) : standardBuckets(store)
  const lookUps = lookUpBucket(store)
  const knownTokens = createRecentMap<string, KnownToken>(maxRemembered)
  const knownSessions = createRecentMap<string, string>(maxRemembered)

  const countAddress = async (koa: RequestContext, client: Client): Promise<void> => {
    koa.state.isCounted = true
    if (rateLimit === 'off') return
    const kind = koa.method === 'GET' || koa.method === 'HEAD' ? 'queries' : 'mutations'
    await take(koa, bucketOf('address', addressKey({ client }), kind), 1)
  }

  const withinLimit = async (
    koa: RequestContext,
    client: Client,
    calls: Calls,
    authenticate: () => Promise<Authenticated>,
  ): Promise<Authenticated> => {
    koa.state.isCounted = true
    if (rateLimit === 'off') return authenticate()
    const address = addressKey({ client })
    const payAsAddress = () => take(koa, bucketOf('address', address, calls.kind), calls.count)
    const payAsToken = ({ id, holder }: KnownToken) => take(koa, bucketOf(holder, id, calls.kind), calls.count)

    const bearer = bearerToken(koa.req)
    if (bearer === undefined) {
      const [cookie = ''] = readCookie(koa.req.headers.cookie, sessionCookie)
      const session = sha256(cookie)
      const userId = knownSessions.get(session)
      if (userId === undefined) await payAsAddress()
      else await take(koa, bucketOf('user', userId, calls.kind), calls.count)
      const authenticated = await authenticate()
      const { actor } = authenticated
      if (actor?.kind === 'user') knownSessions.set(session, actor.userId)
      else if (userId !== undefined) knownSessions.delete(session)
      return authenticated
    }
    if (!isWellFormedToken(bearer)) {
      await payAsAddress()
      return authenticate()
    }
    const hash = sha256(bearer)
    const known = knownTokens.get(hash)
    if (known === undefined) await take(koa, { ...lookUps, key: address }, 1)
    else await payAsToken(known)

    try {
      const authenticated = await authenticate()
      const { actor } = authenticated
      if (actor?.kind !== 'token' || known !== undefined) return authenticated
      const isOwner = local && actor.email === localOwnerEmail
      const token: KnownToken = { id: actor.tokenId, holder: isOwner ? 'localOwner' : 'token' }
      knownTokens.set(hash, token)
      await lookUps.counter.reward(address)
      await payAsToken(token)
      return authenticated
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') {
        knownTokens.delete(hash)
        await payAsAddress()
      }
      throw error
    }
  }
  return { withinLimit, countAddress }
}

type RequestContext = Koa.ParameterizedContext<RequestState>

type Holder = 'token' | 'localOwner' | 'user' | 'address'
type BucketOf = (holder: Holder, id: string, kind: CallKind) => Bucket

/** A token that was valid when this process last looked it up. */
interface KnownToken {
  id: string
  holder: 'token' | 'localOwner'
}

function standardBuckets(store: CounterStore): BucketOf {
  const bucket = (name: string, rule: Rule) => {
    return { counter: store.counter(name, rule, { blockInMemory: true }), rule, noun: 'calls' }
  }
  const buckets = {
    token: bucket('requestsByToken', perHour(1_000)),
    // The only user of the machine: an agent, a terminal and scripts share one token.
    localOwner: bucket('requestsByLocalOwner', perHour(20_000)),
    user: bucket('requestsByUser', perMinute(600)),
    address: bucket('requestsByAddress', perMinute(100)),
  }
  return (holder, id) => ({ ...buckets[holder], key: id })
}

function bucketsByType(store: CounterStore): BucketOf {
  const bucket = (name: string, rule: Rule, noun: string) => {
    return { counter: store.counter(name, rule, { blockInMemory: true }), rule, noun }
  }
  const buckets = {
    queries: bucket('queries', perMinute(100), 'queries'),
    mutations: bucket('mutations', perMinute(20), 'mutations'),
    webhooks: bucket('webhooks', perMinute(10), 'deliveries'),
  }
  return (holder, id, kind) => ({ ...buckets[kind], key: `${holder}:${id}` })
}

function lookUpBucket(store: CounterStore): Omit<Bucket, 'key'> {
  const rule = perMinute(100)
  return { counter: store.local('lookUps', rule), rule, noun: 'unknown tokens' }
}

/**
 * Takes the points and sets the `X-RateLimit` headers. A batch with more calls than points left is refused as a whole
 * and uses up the points.
 *
 * @throws AppError 429
 */
async function take(koa: RequestContext, bucket: Bucket, count: number): Promise<void> {
  const { refused, state } = await consume(bucket, count)
  const { points, seconds } = bucket.rule
  koa.set({
    'X-RateLimit-Limit': String(points),
    'X-RateLimit-Remaining': String(state.remainingPoints),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + state.msBeforeNext) / 1_000)),
  })
  if (!refused) return
  const retryAfter = secondsUntil(state)
  throw rateLimited(
    `At most ${points} ${bucket.noun} per ${seconds === 60 ? 'minute' : 'hour'}. Try again in ${retryAfter} s.` +
      (count > 1 ? ' Each call of a batch counts.' : ''),
    retryAfter,
  )
}

async function consume({ counter, key }: Bucket, count: number): Promise<{ refused: boolean; state: RateLimiterRes }> {
  try {
    return { refused: false, state: await counter.consume(key, count) }
  } catch (state) {
    if (!(state instanceof RateLimiterRes)) throw state
    return { refused: true, state }
  }
}

/** A map that drops the least recently used entry once it has more than `capacity` entries. */
function createRecentMap<Key, Value>(capacity: number) {
  const entries = new Map<Key, Value>()
  const set = (key: Key, value: Value) => {
    // A Map iterates in insertion order.
    entries.delete(key)
    entries.set(key, value)
    for (const [oldest] of entries) {
      if (entries.size <= capacity) break
      entries.delete(oldest)
    }
  }
  return {
    get(key: Key): Value | undefined {
      const value = entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    delete: (key: Key) => entries.delete(key),
  }
}
