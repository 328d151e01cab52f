import { z } from 'zod'
import { JudgedMutant, MutationOperator } from '../../mutation/schema.ts'
import { FailedTest } from '../schema.ts'

/** Whether tests prove a change. `unproved` says what is missing; `no_code_changed` has nothing to prove. */
export const ChangeVerdict = z.enum(['proved', 'unproved', 'broken', 'not_built', 'flaky', 'no_code_changed'])
export type ChangeVerdict = z.infer<typeof ChangeVerdict>

/** What the author says of the change: that behavior changes, or that it stays the same. */
export const ChangeIntent = z.enum(['change', 'same'])
export type ChangeIntent = z.infer<typeof ChangeIntent>

/** What the change did to a test. `broken`: it passed before and fails after. */
export const TestTransition = z.enum([
  'fails_to_passes',
  'passes_to_passes',
  'broken',
  'fails_both',
  'new_passing',
  'new_failing',
  'gone',
  'flaky',
])
export type TestTransition = z.infer<typeof TestTransition>

/** How a new or changed test ended on the code of the base. `not_built`: the base lacks what it needs. */
export const WithoutChange = z.enum(['fails', 'not_built', 'passes', 'not_run'])
export type WithoutChange = z.infer<typeof WithoutChange>

export const ChangedTest = z.object({
  /** Suite and name, as the runner reports them. */
  test: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  transition: TestTransition,
  /** Whether the change added the test or its file changed; null for other tests. */
  isOfChange: z.enum(['added', 'changed']).nullable(),
  /** Null for tests that are not of the change. */
  withoutChange: WithoutChange.nullable(),
  /** Why it fails now; null if it does not. */
  failure: FailedTest.nullable(),
})
export type ChangedTest = z.infer<typeof ChangedTest>

/** The results of all tests of one side. */
export const SideResult = z.object({
  commitSha: z.string(),
  outcome: z.enum(['passed', 'failed', 'not_built', 'no_tests', 'not_run']),
  totalTests: z.int(),
  failedTests: z.int(),
  /** Why there is no result. */
  problem: z.string().nullable(),
  durationMs: z.int(),
  /** Whether the results come from an earlier run of the same commit. */
  cached: z.boolean(),
})
export type SideResult = z.infer<typeof SideResult>

/** Lines of the change that no test runs, with their code. Lines count from 1; both ends are included. */
export const UncoveredRange = z.object({
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  code: z.string(),
  /** The cases that these lines decide about or run in. */
  cases: z.array(z.string()),
})
export type UncoveredRange = z.infer<typeof UncoveredRange>

/** A line of which tests take only some of the branches. */
export const PartialLine = z.object({ path: z.string(), line: z.int(), taken: z.int(), total: z.int() })
export type PartialLine = z.infer<typeof PartialLine>

export const PatchCoverage = z.object({
  /** Executable lines that the change added or modified, and how many of them tests run. */
  lines: z.int(),
  coveredLines: z.int(),
  /** Branches of the changed lines, and how many of them tests take; 0 if the runner does not measure branches. */
  branches: z.int().default(0),
  coveredBranches: z.int().default(0),
  /** The number of lines that tests run without taking all their branches. */
  partialLines: z.int(),
  /** These lines; at most 50. */
  partial: z.array(PartialLine).default([]),
  /** Percent; null if the change has no executable lines. */
  percent: z.number().nullable(),
  /** At most 50. */
  uncovered: z.array(UncoveredRange),
  /** Changed code files that no coverage report names. */
  unmeasured: z.array(z.string()),
})
export type PatchCoverage = z.infer<typeof PatchCoverage>

/**
 * A small change of the changed lines that no test detects. `restored`: the code as it was before the change.
 * `removed_assignment` and `value` occur only in the old code.
 */
export const ChangeSurvivor = JudgedMutant.extend({
  operator: z.enum([...MutationOperator.options, 'restored', 'removed_assignment', 'value']),
  /** Set if it is in code that a refactoring removed. `path` and `line` are those of the base then. */
  isInOldCode: z.literal(true).optional(),
})
export type ChangeSurvivor = z.infer<typeof ChangeSurvivor>

/** What became of those that were tried; the other numbers add up to `tried`. */
export const MutantCounts = z.object({
  tried: z.int(),
  /** Includes those that made the code crash. */
  killed: z.int(),
  timedOut: z.int(),
  /** Those that could not run. */
  invalid: z.int(),
  survived: z.int(),
})
export type MutantCounts = z.infer<typeof MutantCounts>

/**
 * Mutants of the changed lines, mutants of the old code, and parts of the change that were restored alone, together. A
 * part that is the same as a mutant counts only as the mutant.
 */
export const ChangeMutation = MutantCounts.extend({
  /** The number of possible mutants, in the new and in the old code, and of restored parts. */
  found: z.int(),
  /** The restored parts alone. Missing in evidence of earlier versions. */
  restored: MutantCounts.optional(),
  /** The mutants of the old code alone. Only for a refactoring. */
  inOldCode: MutantCounts.extend({ found: z.int() }).optional(),
  seed: z.string(),
  /** At most 20. */
  survivors: z.array(ChangeSurvivor),
})
export type ChangeMutation = z.infer<typeof ChangeMutation>

export const ChangeEvidence = z.object({
  /** The reason for the verdict, as a code such as `fails_without_the_change`, `no_test_fails_without_it`. */
  reason: z.string(),
  /** The reason in sentences, with advice. */
  summary: z.string(),
  /** What is missing for `proved`, most important first, as sentences. */
  missing: z.array(z.string()),
  base: SideResult,
  head: SideResult,
  files: z.object({ code: z.int(), tests: z.int(), other: z.int() }),
  counts: z.record(TestTransition, z.int()),
  /** All tests but those that pass before and after and are not of the change; at most 200, the worst first. */
  tests: z.array(ChangedTest),
  /** Null if coverage was not measured. */
  patch: PatchCoverage.nullable(),
  /** Null if no mutants were tried. */
  mutation: ChangeMutation.nullable(),
  /** Phases that the budget left out. A provisional answer may have some; a final one says why in `warnings`. */
  notRun: z.array(z.enum(['repeats', 'without_change', 'mutants'])),
  /** The command that a user would type to run the tests of the change. */
  command: z.string().nullable(),
  /** The end of the output of the deciding run, at most 8 KiB. */
  output: z.string(),
  warnings: z.array(z.string()),
  durationMs: z.int(),
})
export type ChangeEvidence = z.infer<typeof ChangeEvidence>
