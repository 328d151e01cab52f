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

/** Counts tries under the rules of `rules.ts`; every process on the database shares the counts. */
export interface Limits {
  /**
   * Takes a point of the key. Of parallel calls no more get through than the rule has points.
   *
   * @throws AppError 429 with `retryAfter` when none is left; a refused try takes nothing
   */
  attempt(rule: RuleName, key: string): Promise<void>
  /** Gives a point back, for a try that turned out well. */
  refund(rule: RuleName, key: string): Promise<void>
  /** Forgets all tries of the key. */
  forget(rule: RuleName, key: string): Promise<void>
}

/** Keys are stored as hashes: they hold e-mail addresses, and have any length. */
export function createLimits(store: CounterStore): Limits {
  // Nothing is blocked in memory here: a refund, perhaps in another process, has to be seen at once.
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
    // The period of the try was over, and the next one is not to begin with a point too many.
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

/** Whole seconds until the period ends, at least one. */
export function secondsUntil({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000))
}

/** What stands for the caller's network in a key: the address, of IPv6 its /64. */
export function addressKey({ client }: Pick<Context, 'client'>): string {
  return client.ipAddress === null ? 'none' : addressBlock(client.ipAddress)
}
