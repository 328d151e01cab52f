import { z } from 'zod'
import { userEmail } from '../base/input-fields/schema.ts'

const percent = z.number().min(0).max(100)
/** Percent of covered lines; `auto`: as much as the whole project on the base; null: no rule. */
const Target = z.union([percent, z.literal('auto')]).nullable()
const lines = z.int().min(0).max(1_000_000).nullable()
const name = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be plain text')
/** More of them make matching slow. */
const maxStars = 12
const maxGlobs = 500
const glob = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be a glob such as src/**')
  .refine((text) => (text.match(/\*+/g) ?? []).length <= maxStars, `must have at most ${maxStars} groups of stars`)

export const GateRules = z.strictObject({
  /** Of the changed lines. */
  patchTarget: Target,
  /** By how many percentage points the target may be missed. */
  tolerance: percent,
  /** The most changed lines that no test may run; null: no rule. */
  maxUncovered: lines,
  /** Whether a line of which tests take only some branches counts as uncovered. */
  partialIsUncovered: z.boolean(),
  /** Whether changed code that no report names fails the gate. */
  requireMeasured: z.boolean(),
  /** Of all lines of the project. What removed code takes away does not count for `auto`. */
  projectTarget: Target,
  projectTolerance: percent,
  /** Whether tests that fail only with the change fail the gate. Muted ones never do. */
  noNewFailures: z.boolean(),
  /** Whether tests that both failed and passed on the commit, and were not flaky before, fail the gate. */
  noNewFlaky: z.boolean(),
  /** The least share of small changes of the changed code that tests notice, in percent, by `changes.verify`; null: no rule. */
  killedMutants: percent.nullable(),
  /** Whether the verdict of `changes.verify` on the change has to be `proved`. */
  requireProof: z.boolean(),
})

export const GateComponent = z.strictObject({
  name,
  /** Globs. Empty: all files. */
  paths: z.array(glob).max(50).default([]),
  /** Counts only the coverage of uploads with this name. */
  upload: name.nullable().default(null),
  patchTarget: Target.default(null),
  maxUncovered: lines.default(null),
})

/** Another place in the repository for paths of reports. An empty `report` stands for every path. */
const PathPrefix = z.strictObject({ report: z.string().max(300), repository: z.string().max(300) })

export const GatePolicy = z.strictObject({
  /** `informational`: says what it would decide, and never blocks. */
  mode: z.enum(['off', 'informational', 'enforced']),
  rules: GateRules,
  components: z
    .array(GateComponent)
    .max(50)
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      'two components must not have the same name',
    )
    .refine((all) => all.reduce((sum, { paths }) => sum + paths.length, 0) <= maxGlobs, {
      error: `components must have at most ${maxGlobs} globs together`,
    }),
  /** What a commit needs before coverage is judged. */
  uploads: z.strictObject({
    names: z.array(name).max(50),
    count: z.int().min(1).max(1_000).nullable(),
    /** Whether coverage is judged only after `assay upload --done`. */
    untilDone: z.boolean(),
  }),
  /** Globs of files that do not count. */
  ignore: z.array(glob).max(100),
  pathPrefixes: z.array(PathPrefix).max(50),
  /** A gate that still waits after this time has the state `error`. */
  deadlineMinutes: z.int().min(1).max(1_440),
  /** Whether pull requests get a comment where something is uncovered, new, flaky or red. */
  comment: z.boolean(),
})
export type GatePolicy = z.infer<typeof GatePolicy>

export const GatePolicyChange = z
  .strictObject({
    ...GatePolicy.shape,
    rules: GateRules.partial(),
    uploads: GatePolicy.shape.uploads.partial(),
  })
  .partial()
export type GatePolicyChange = z.infer<typeof GatePolicyChange>

export const GetGatePolicy = z.strictObject({ projectId: z.string(), userEmail })
export type GetGatePolicy = z.infer<typeof GetGatePolicy>

/** Only the given fields change; a given list replaces the whole list. */
export const UpdateGatePolicy = z.strictObject({ projectId: z.string(), policy: GatePolicyChange, userEmail })
export type UpdateGatePolicy = z.infer<typeof UpdateGatePolicy>
