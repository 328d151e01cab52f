import { z } from 'zod'
import type { KeptReach } from '../../../engines/strength/kept-reach.ts'
import type { MutantResults, OtherFiles, TestRecord } from '../../../engines/strength/kept.ts'

const index = z.int().nonnegative()
const content = z.string().nullable()

/** What is stored of earlier measurements, by kind. A row of another shape counts as if it were not there. */
export const keptRows = {
  test: z.object({
    key: z.string(),
    path: z.string(),
    own: z.string(),
    files: z.record(
      z.string(),
      z.object({ content, parts: z.object({ rest: z.string(), units: z.array(z.string()) }).nullable() }),
    ),
    others: z.string(),
  }) satisfies z.ZodType<TestRecord>,
  others: z.object({ key: z.string(), contents: z.record(z.string(), content) }) satisfies z.ZodType<OtherFiles>,
  reach: z.object({
    key: z.string(),
    others: z.string(),
    probes: z.array(z.string()),
    tests: z.array(z.tuple([index, z.string().nullable(), z.number(), z.array(index)])),
  }) satisfies z.ZodType<KeptReach>,
  code: z.object({
    tests: z.array(z.string()),
    mutants: z.array(
      z.union([
        z.tuple([z.string(), z.enum(['noticed', 'timed_out']), index, z.string().nullable()]),
        z.tuple([z.string(), z.literal('survived'), z.array(index)]),
      ]),
    ),
    unchecked: z.array(z.string()),
  }) satisfies z.ZodType<MutantResults>,
}

export type Kind = keyof typeof keptRows
