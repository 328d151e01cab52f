import { z } from 'zod'
import { userEmail } from '../base/input-fields/schema.ts'

const days = (max: number) => z.int().min(1).max(max)
const count = (max: number) => z.int().min(1).max(max)

/** When a test counts as flaky, broken, healthy again, or stale. */
export const HealthRules = z.object({
  /** A test with fewer results is `new`, unless it is flaky or broken. */
  newResults: count(1_000),
  /** So many failures in a row on the default branch make a test broken. */
  brokenFailures: z.int().min(2).max(100),
  /** So many isolated results on the default branch, within the window, make a test flaky. */
  isolatedResults: z.int().min(2).max(100),
  /** The window is this number of days or of results, whichever is longer. */
  isolatedDays: days(60),
  isolatedWindow: count(1_000),
  /** A flaky test is healthy again after so many days without evidence and so many passes. */
  quietDays: days(60),
  quietPasses: count(1_000),
  /** A test is stale if the project ran without it for so many days. */
  staleDays: days(60),
  /** A run says nothing if at least this share of its tests fails, and it has at least `massTests` tests. */
  massShare: z.number().min(0.01).max(1),
  massTests: count(1_000),
  /** Failures say nothing about a test if so many tests of a run have the same error. */
  incidentTests: z.int().min(2).max(10_000),
  /** Failures say nothing about a test if so many times more tests fail than usual, and at least `incidentTests`. */
  burstFactor: z.number().min(1.5).max(1_000),
})
export type HealthRules = z.infer<typeof HealthRules>

/** The role that may grant a quarantine; owners may always. */
export const GrantingRole = z.enum(['member', 'admin', 'owner'])

export const QuarantineRules = z.object({
  grantedBy: GrantingRole,
  /** How long a quarantine lasts unless the request says otherwise. */
  days: days(90),
  /** Whether Assay mutes tests that become flaky. Broken tests are never muted by Assay. */
  muteFlaky: z.boolean(),
})
export type QuarantineRules = z.infer<typeof QuarantineRules>

export const Retention = z.object({
  /** Results of single tests, with their errors. Runs and their counts stay. */
  resultDays: z.int().min(35).max(400),
  /** Counts and durations per test and day: at least `resultDays`. */
  dailyDays: z.int().min(35).max(1_000),
})
export type Retention = z.infer<typeof Retention>

export const TestPolicy = z.object({ health: HealthRules, quarantine: QuarantineRules, retention: Retention })
export type TestPolicy = z.infer<typeof TestPolicy>

export const GetTestPolicy = z.object({ projectId: z.string(), userEmail })
export type GetTestPolicy = z.infer<typeof GetTestPolicy>

export const HealthRulesChange = z.strictObject(HealthRules.shape).partial()
export type HealthRulesChange = z.infer<typeof HealthRulesChange>

/** Only the given fields change. */
export const UpdateTestPolicy = z.object({
  projectId: z.string(),
  health: HealthRulesChange.optional(),
  quarantine: z.strictObject(QuarantineRules.shape).partial().optional(),
  retention: z.strictObject(Retention.shape).partial().optional(),
  userEmail,
})
export type UpdateTestPolicy = z.infer<typeof UpdateTestPolicy>
