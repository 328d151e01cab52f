import { z } from 'zod'
import { parseInput } from '../base/input.ts'

/** A whole number in a query. Accepts only decimal digits: `Number` would also accept `0x10`, `1e2` and the empty string. */
export const queryNumber = (min: number, max: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z.int(`must be a whole number from ${min} to ${max}`).min(min).max(max),
  )

/** A list in a query: values after commas, or a repeated name. */
export const queryList = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(item).min(1).max(20))

/** Reads the id of a test from a path. */
export const pathTestId = (params: Record<string, string>): string => parseInput(TestPath, params).testId

const TestPath = z.object({ testId: z.guid('must be the id of a test, a UUID') })

/** The requested part of a list. */
export const queryPage = {
  limit: queryNumber(1, 100).default(20).describe('The number of entries, 1 to 100'),
  offset: queryNumber(0, 1_000_000_000).default(0).describe('How many entries to leave out'),
}
