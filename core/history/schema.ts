import { z } from 'zod'
import { branch, Pagination, userEmail } from '../base/input-fields/schema.ts'
import { Project } from '../projects/schema.ts'
import { ReportedStatus, RunSource } from '../test-runs/schema.ts'
import { Verdict } from '../../engines/verdicts/schema.ts'

const percent = z.number()

const RunPoint = z.object({ runId: z.string(), commitSha: z.string().nullable(), createdAt: z.iso.datetime() })

/** The number of consecutive latest runs that all passed, or that all did not; 500 if there are more. */
const streakRuns = z.int()

/** The outcome of the latest run of all tests. `running`: the first such run has not ended. */
export const Health = z.enum(['passing', 'failing', 'error', 'running', 'unknown'])
export type Health = z.infer<typeof Health>

export const GetOverview = z
  .strictObject({
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
    RunPoint.extend({
      reportedStatus: ReportedStatus,
      totalTests: z.int(),
      failedTests: z.int(),
      /** Failed, but do not decide. */
      mutedTests: z.int(),
    }),
  ),
  /** Since when the runs fail or have no result; null if the latest one passed. */
  failingSince: RunPoint.extend({ runs: streakRuns }).nullable(),
  /** Percent of lines, and the difference from the run with coverage before, in percentage points. */
  coverage: z.object({ percent, change: z.number().nullable() }).nullable(),
  /** Tests of the latest run that passed after a failed attempt. */
  flakyTests: z.int(),
  /** Queued and running runs of all branches and snapshots. */
  activeRuns: z.int(),
  /** Those of them that have not started. */
  queuedRuns: z.int(),
  openSuggestions: z.int(),
})
export type ProjectOverview = z.infer<typeof ProjectOverview>

export const Overview = z.object({ projects: z.array(ProjectOverview), pagination: Pagination })
export type Overview = z.infer<typeof Overview>

export const GetTrends = z.strictObject({
  projectId: z.string(),
  /** The project's branch by default. */
  branch: branch.optional(),
  /** Today and the days before, in UTC. */
  days: z.int().min(1).max(400).default(30),
  userEmail,
})
export type GetTrends = z.infer<typeof GetTrends>

export const Trends = z.object({
  branch: z.string(),
  /** The status of the latest run that ended, and the first of the runs that passed or failed like it since. */
  current: z
    .object({ status: Health.extract(['passing', 'failing', 'error']), since: RunPoint, runs: streakRuns })
    .nullable(),
  /** The days with runs that ended, oldest first. */
  days: z.array(
    z.object({
      /** `YYYY-MM-DD`, in UTC. */
      day: z.string(),
      /** Includes uploads of coverage alone, which neither passed nor failed. */
      runs: z.int(),
      passed: z.int(),
      failed: z.int(),
      /** Runs without a result. */
      errors: z.int(),
      /** Milliseconds of the runs with results. */
      durationP50: z.int().nullable(),
      durationP95: z.int().nullable(),
      /** Of the latest run with coverage. */
      coverage: percent.nullable(),
    }),
  ),
  /** The latest 200 runs, newest first. */
  runs: z.array(
    RunPoint.extend({
      reportedStatus: ReportedStatus,
      duration: z.int().nullable(),
      coverage: percent.nullable(),
      totalTests: z.int(),
      failedTests: z.int(),
      /** Failed, but do not decide. */
      mutedTests: z.int(),
    }),
  ),
})
export type Trends = z.infer<typeof Trends>

export const ListBranches = z.strictObject({
  projectId: z.string(),
  /** A part of the name; case does not matter. */
  search: z.string().max(200).optional(),
  limit: z.int().min(1).max(100).default(50),
  userEmail,
})
export type ListBranches = z.infer<typeof ListBranches>

export const Branches = z.object({
  branches: z.array(
    z.object({ name: z.string(), runId: z.string(), reportedStatus: ReportedStatus, createdAt: z.iso.datetime() }),
  ),
})
export type Branches = z.infer<typeof Branches>

/** What an entry of the timeline is about. `strength`: a measurement of what tests notice. */
export const ActivityKind = z.enum([
  'analysis',
  'suggestion',
  'generated_test',
  'verification',
  'change',
  'strength',
  'run',
  'snapshot',
])
export type ActivityKind = z.infer<typeof ActivityKind>

export const ListActivity = z.strictObject({
  projectId: z.string(),
  /** All kinds by default. */
  kinds: z.array(ActivityKind).min(1).max(ActivityKind.options.length).optional(),
  /** The `nextCursor` of the page before. */
  before: z.string().max(100).optional(),
  limit: z.int().min(1).max(100).default(50),
  userEmail,
})
export type ListActivity = z.infer<typeof ListActivity>

export const ActivityEntry = z.object({
  /** A suggestion that was accepted or dismissed and a generated test that was dismissed have a second entry. */
  id: z.string(),
  kind: ActivityKind,
  /** The id of the record. */
  subjectId: z.string(),
  /** Plain text: the tested file and symbol, the branch, or the like. */
  title: z.string(),
  /** That of the record; for a run `passed`, `failed` or `error` when it ended. */
  status: z.enum([
    'pending',
    'running',
    'completed',
    'passed',
    'failed',
    'error',
    'cancelled',
    'open',
    'accepted',
    'dismissed',
    'outdated',
    'generated',
    'stored',
  ]),
  verdict: z.string().nullable(),
  /** The first sentence of what the record says about its result or its reason. */
  outcome: z.string().nullable(),
  /** What triggered a run; null for other kinds. */
  source: RunSource.nullable(),
  /** Null for the code host and for deleted users. */
  by: z
    .object({
      userId: z.string(),
      name: z.string(),
      /** Null for a session, and for a deleted token. */
      token: z.object({ id: z.string(), name: z.string() }).nullable(),
    })
    .nullable(),
  /**
   * Tokens of the AI model, for input and output together. Those of a call are with the first suggestion or test that it
   * made, and null with the others; also null if no model was asked.
   */
  tokensUsed: z.int().nullable(),
  at: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
})
export type ActivityEntry = z.infer<typeof ActivityEntry>

export const Activity = z.object({
  /** Newest first. */
  entries: z.array(ActivityEntry),
  /** The value of `before` for the next page; null on the last one. */
  nextCursor: z.string().nullable(),
})
export type Activity = z.infer<typeof Activity>

export const GetFunnel = z.strictObject({
  projectId: z.string(),
  /** Today and the days before, in UTC, in which the verification was requested. */
  days: z.int().min(1).max(400).default(90),
  userEmail,
})
export type GetFunnel = z.infer<typeof GetFunnel>

/** How far verified tests came. A test is a file with its content; its latest final verdict counts. */
export const Funnel = z.object({
  since: z.iso.datetime(),
  stages: z.object({
    proposed: z.int(),
    /** It ran at all. */
    built: z.int(),
    /** Built, and not flaky. */
    stable: z.int(),
    /** Stable, and it covers lines or branches that no other test covers. */
    gaining: z.int(),
    /** Stable, and it detects a mutant. */
    killing: z.int(),
    /** Stable, the last version of its file, and later runs or uploads of the project's branch report the file. */
    kept: z.int(),
    /** Kept, and no test of the file failed in the latest run of the branch, at least 30 days later, that reports it. */
    passingAfter30Days: z.int(),
  }),
  /** The kept tests that were verified at least 30 days ago. */
  dueAfter30Days: z.int(),
  verdicts: z.record(Verdict, z.int()),
})
export type Funnel = z.infer<typeof Funnel>
