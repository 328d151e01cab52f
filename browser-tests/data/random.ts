import { ulid } from 'ulid'

export const second = 1_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** Numbers that look random and are the same in every run, so that pictures do not change. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  hex(length: number): string
}

/** Mulberry32, a generator with 32 bits of state. */
export function createRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(items) {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('There is nothing to pick from.')
      return item
    },
    hex: (length) => Array.from({ length }, () => between(0, 15).toString(16)).join(''),
  }
}

/** The id of a record that was created in the past. Lists are in the order of their ids. */
export const idAt = (time: Date): string => ulid(time.getTime())

export const before = (now: Date, milliseconds: number): Date => new Date(now.getTime() - milliseconds)

export const after = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds)
