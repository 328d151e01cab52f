import { z } from 'zod'
import { Pagination, userEmail } from '../base/input-fields/schema.ts'
import { Project } from '../projects/schema.ts'
import { ReportedStatus } from '../test-runs/schema.ts'

const percent = z.number()

/** The consecutive latest runs of a branch with the same outcome. */
const Streak = {
  /** The first of these runs. */
  runId: z.string(),
  commitSha: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** The number of these runs; 500 if there are more. */
  runs: z.int(),
}

/** The outcome of the latest run of all tests. `running`: the first such run has not ended. */
export const Health = z.enum(['passing', 'failing', 'error', 'running', 'unknown'])
export type Health = z.infer<typeof Health>

export const GetOverview = z
  .object({
    organizationId: z.string().optional(),
    /** A part of the name; case does not matter. */
    search: z.string().max(200).optional(),
    /** `attention`: failing projects, then those whose coverage fell, then the others. `latest`: by latest run. */
    sort: z.enum(['attention', 'name', 'latest']).default('attention'),
    limit: z.int().min(1).max(100).default(50),
    offset: z.int().min(0).default(0),
    userEmail,
  })
  .prefault({})
export type GetOverview = z.infer<typeof GetOverview>

export const ProjectOverview = Project.extend({
  health: Health,
  /** The latest 20 runs and uploads of all tests on the project's branch, newest first. */
  strip: z.array(
    z.object({
      runId: z.string(),
      reportedStatus: ReportedStatus,
      createdAt: z.iso.datetime(),
      commitSha: z.string().nullable(),
      totalTests: z.int(),
      failedTests: z.int(),
    }),
  ),
  /** Since when the runs fail or have no result; null if the latest one passed. */
  failingSince: z.object(Streak).nullable(),
  /** Percent of lines, and the difference from the run with coverage before, in percentage points. */
  coverage: z.object({ percent, change: z.number().nullable() }).nullable(),
  /** Tests of the latest run that passed after a failed attempt. */
  flakyTests: z.int(),
  /** Queued and running runs of all branches and snapshots. */
  activeRuns: z.int(),
  openSuggestions: z.int(),
})
export type ProjectOverview = z.infer<typeof ProjectOverview>

export const Overview = z.object({ projects: z.array(ProjectOverview), pagination: Pagination })
export type Overview = z.infer<typeof Overview>
