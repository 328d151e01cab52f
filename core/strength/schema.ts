import { z } from 'zod'
import { AnalysisScope } from '../../engines/analysis/schema.ts'
import { Strength, StrengthEvidence, StrengthVerdict } from '../../engines/strength/schema.ts'
import { branch, commitSha, page, Pagination, userEmail, waitSeconds } from '../base/input-fields/schema.ts'
import { JudgedStatus, judgedFields, reasonFields, runsOfPhase } from '../verdicts/schema.ts'

export const StrengthPhase = z.enum([
  'fetching',
  'finding_mutants',
  'installing',
  'running_tests',
  'trying_mutants',
  'checking',
])
export type StrengthPhase = z.infer<typeof StrengthPhase>

/** A measurement of how much of their code the tests of a project check. */
export const Measurement = z.object({
  ...judgedFields,
  /** The user who asked. */
  userId: z.string(),
  branch: z.string().nullable(),
  commitSha: z.string().nullable(),
  paths: z.array(z.string()),
  since: z.string().nullable(),
  budgetSeconds: z.int(),
  /** With `status` `running`, what is known so far. */
  verdict: StrengthVerdict.nullable(),
  isProvisional: z.boolean(),
  evidence: StrengthEvidence.nullable(),
  progress: z.object({ phase: StrengthPhase, ...runsOfPhase }).nullable(),
  /**
   * The last measurement before this one with a strength, of the same paths and reference, and of the same branch; for a
   * snapshot, of its sender's snapshots of the same commit, or else of this commit or of its branch. With its strength, and
   * how much more this one has, in points of percent: null if the two intervals overlap. Null until this one has completed.
   */
  previous: z
    .object({
      id: z.string(),
      commitSha: z.string().nullable(),
      completedAt: z.iso.datetime(),
      ...Strength.shape,
      change: z.number().nullable(),
    })
    .nullable(),
})
export type Measurement = z.infer<typeof Measurement>

/** A measurement in a list: without its evidence, but with its reason and summary. */
export const MeasurementSummary = Measurement.omit({ evidence: true }).extend({
  ...reasonFields,
  ...StrengthEvidence.pick({ strength: true, reached: true, tried: true, noticed: true, survived: true }).shape,
})
export type MeasurementSummary = z.infer<typeof MeasurementSummary>

export const MeasureStrength = z.strictObject({
  projectId: z.string(),
  branch: branch.optional(),
  commitSha: commitSha.optional(),
  /** Instead of `branch` and `commitSha`. */
  snapshotId: z.string().optional(),
  /** Files, folders and globs. Defaults to all code. */
  paths: AnalysisScope.shape.paths,
  /** Only files that changed since this branch, tag or commit; their changed lines come first. */
  since: z.string().trim().min(1).max(255).optional(),
  /** The time for trying mutants. */
  budgetSeconds: z.int().min(10).max(3_600).default(120),
  /** Whether to try mutants again whose results are known from earlier measurements. */
  again: z.boolean().default(false),
  userEmail,
})
export type MeasureStrength = z.infer<typeof MeasureStrength>

export const GetMeasurement = z.strictObject({
  measurementId: z.string(),
  /** The call returns when the measurement has ended, or after this time with what is known so far. */
  waitSeconds,
  /** With this, it also returns as soon as more survivors than so many are known. */
  survivorsAfter: z.int().min(0).optional(),
  userEmail,
})
export type GetMeasurement = z.infer<typeof GetMeasurement>

export const ListMeasurements = z.strictObject({
  projectId: z.string(),
  status: JudgedStatus.optional(),
  ...page,
  userEmail,
})
export type ListMeasurements = z.infer<typeof ListMeasurements>

export const MeasurementsPage = z.object({ measurements: z.array(MeasurementSummary), pagination: Pagination })
export type MeasurementsPage = z.infer<typeof MeasurementsPage>

export const MeasurementRef = z.strictObject({ measurementId: z.string(), userEmail })
export type MeasurementRef = z.infer<typeof MeasurementRef>
