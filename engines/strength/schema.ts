import { z } from 'zod'
import { TestCase } from '../analysis/schema.ts'
import { JudgedMutant } from '../mutation/schema.ts'

const count = z.int().nonnegative()

/**
 * Numbers of mutants. `tried` are `noticed` and `survived` together; `timedOut` are among the noticed ones. `found` are in
 * the code that was asked for, and `reached` are run by tests.
 */
const mutantCounts = {
  found: count,
  reached: count,
  tried: count,
  noticed: count,
  timedOut: count,
  survived: count,
}

/** Percent of the tried mutants that tests notice, and where this is for all reached mutants in 19 of 20 samples. */
export const Strength = z.object({ percent: z.number(), interval: z.tuple([z.number(), z.number()]) })

/** A change of the code that all tests that run it accept. */
export const Survivor = z.object({
  ...JudgedMutant.shape,
  /** Where `original` begins in its line, from 1. */
  column: z.int().nullable().default(null),
  /** The line without and with the change, where `original` is too short to say which code it is. */
  context: z.object({ original: z.string(), replacement: z.string() }).nullable().default(null),
  /** The function or class around it. */
  symbol: z.string().nullable(),
  /** The case of the analysis that it belongs to: `null` if the analysis lists none for the line. */
  case: TestCase.pick({ id: true, condition: true, outcome: true, result: true }).nullable(),
  /** The test that is nearest to the code, and how many tests accepted the change. */
  nearestTest: z.object({ path: z.string(), name: z.string().nullable() }).nullable(),
  tests: count,
  /** One sentence on what to assert. */
  advice: z.string(),
})
export type Survivor = z.infer<typeof Survivor>

/** `measured`: every mutant that tests reach was tried. `partial`: the time was over before. */
export const StrengthVerdict = z.enum(['measured', 'partial'])
export type StrengthVerdict = z.infer<typeof StrengthVerdict>

/** `running` and `cancelled`: what is known of a measurement that has not come to its end. */
export const StrengthReason = z.enum([
  'running',
  'cancelled',
  'all_tried',
  'budget_used',
  'nothing_reached',
  'tests_not_repeatable',
  'no_mutants',
  'no_code_changed',
  'no_driver',
])
export type StrengthReason = z.infer<typeof StrengthReason>

export const StrengthEvidence = z.object({
  reason: StrengthReason,
  summary: z.string(),
  ...mutantCounts,
  /**
   * How many of the tried mutants count by results that were stored before, because nothing has changed since: those of
   * earlier measurements, or of this one before the server restarted.
   */
  kept: count.default(0),
  strength: Strength.nullable(),
  files: z.array(z.object({ path: z.string(), ...mutantCounts, strength: Strength.nullable() })),
  /** The same for the folders with these files, with everything below them; outer ones first. */
  folders: z.array(z.object({ path: z.string(), ...mutantCounts, strength: Strength.nullable() })),
  survivors: z.array(Survivor),
  /** How many survivors follow after those that are listed. */
  survivorsLeftOut: count.default(0),
  /** The changes that no passing test runs: how many, on how many lines, and where; `at` has the first lines of each file. */
  unreached: z
    .object({
      changes: count,
      lines: count,
      files: z.array(z.object({ path: z.string(), changes: count, lines: count, at: z.array(z.int()) })),
    })
    .default({ changes: 0, lines: 0, files: [] }),
  /** Mutants tried again in fresh processes, and how many of these had another result there. */
  sample: z.object({ tried: count, disagreed: count }),
  /**
   * `kept` of the tests did not have to run, because an earlier measurement says what they reach. `failingTests` are some
   * of those that fail without a change, which try no mutant.
   */
  tests: z.object({
    run: count,
    failing: count,
    kept: count.default(0),
    failingTests: z.array(z.object({ path: z.string(), name: z.string().nullable() })).default([]),
  }),
  warnings: z.array(z.string()),
  durationMs: count,
})
export type StrengthEvidence = z.infer<typeof StrengthEvidence>
