import { RateLimiterRes } from 'rate-limiter-flexible'
import type { Context } from '../../base/context.ts'
import { sha256 } from '../../base/crypto.ts'
import { rateLimited } from '../../base/errors.ts'
import { addressBlock } from '../../http/client-address.ts'
import type { CounterStore } from './store.ts'
import { type RuleName, rules } from './rules.ts'

declare module '../../base/context.ts' {
  interface Services {
    limits: Limits
  }
}

/** Counts attempts under the rules of `rules.ts`. All processes on the database share the counts. */
export interface Limits {
  /**
   * Takes a point from the key. The limit holds for parallel calls too.
   *
   * @throws AppError 429 with `retryAfter` when no point is left; a refused attempt takes no point
   */
  attempt(rule: RuleName, key: string): Promise<void>
  /** Returns a point, for a successful attempt. */
  refund(rule: RuleName, key: string): Promise<void>
  /** Forgets all attempts of the key. */
  forget(rule: RuleName, key: string): Promise<void>
}

/** Keys are stored as hashes, because they contain e-mail addresses and have any length. */
export function createLimits(store: CounterStore): Limits {
  // Does not block keys in memory, because a refund in another process must take effect at once.
  const counter = (name: RuleName) => store.counter(name, rules[name])
  const counters = {
    signInByAccountAndAddress: counter('signInByAccountAndAddress'),
    signInByAddress: counter('signInByAddress'),
    signInByAccount: counter('signInByAccount'),
    signUpByAddress: counter('signUpByAddress'),
    mailByAccountAndAddress: counter('mailByAccountAndAddress'),
    mailByAccount: counter('mailByAccount'),
    mailByAddress: counter('mailByAddress'),
    invitationByAddress: counter('invitationByAddress'),
    invitationByAccount: counter('invitationByAccount'),
    viewByLink: counter('viewByLink'),
    oauthByAddress: counter('oauthByAddress'),
  } satisfies Record<RuleName, unknown>

  const refund = async (rule: RuleName, key: string) => {
    const left = await counters[rule].reward(sha256(key))
    // The period of the attempt has ended, and the next one must not start with an extra point.
    if (left.consumedPoints < 0) await counters[rule].penalty(sha256(key))
  }
  return {
    async attempt(rule, key) {
      try {
        await counters[rule].consume(sha256(key))
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        await refund(rule, key)
        const seconds = secondsUntil(refused)
        throw rateLimited(`Too many attempts. Try again in ${inWords(seconds)}.`, seconds)
      }
    },
    refund,
    async forget(rule, key) {
      await counters[rule].delete(sha256(key))
    },
  }
}

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** Returns the whole seconds until the period ends, at least one. */
export function secondsUntil({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000))
}

/** Returns the caller's network for a key: the IPv4 address or the IPv6 /64. */
export function addressKey({ client }: Pick<Context, 'client'>): string {
  return client.ipAddress === null ? 'none' : addressBlock(client.ipAddress)
}
