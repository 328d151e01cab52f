import { EntitySchema } from 'typeorm'
import {
  boolean,
  type Columns,
  id,
  integer,
  json,
  optionalJson,
  optionalText,
  optionalTime,
  text,
  time,
} from '../base/columns.ts'
import type { RunPlan } from '../../engines/test-plan/plan.ts'
import type {
  CoverageFigures,
  ImpactedRun,
  PlannedPart,
  RunProgress,
  RunSource,
  Selection,
  TestRunStatus,
  TestType,
  TimelineStep,
} from './schema.ts'
import { type RunWarning, storedWarnings } from './warnings.ts'
import type { RunError } from '../../engines/verdicts/schema.ts'

export interface TestRunRow {
  id: string
  projectId: string
  userId: string
  /** The token that was used, also after it was deleted; null for a session and for records of earlier versions. */
  tokenId: string | null
  status: TestRunStatus
  type: TestType
  source: RunSource
  branch: string | null
  commitSha: string | null
  /** Set for a run of a snapshot, also after the snapshot was deleted. Its results never count for other runs. */
  snapshotId: string | null
  /** The commit whose files were tested, if it is a merge of `commitSha` with another branch. */
  testedSha: string | null
  pullRequest: number | null
  /** False for commits from forks: their code must not see the project's environment. */
  withSecrets: boolean
  selection: Selection | null
  /** Set if the run chooses its tests by its change. `selection` then follows when the commit was fetched. */
  impacted: ImpactedRun | null
  rerunOf: string | null
  name: string | null
  /** For uploads: identifies the run that all shards with the same key belong to. */
  idempotencyKey: string | null
  /** A digest of the request that used the key. */
  requestDigest: string | null
  totalTests: number
  passedTests: number
  failedTests: number
  skippedTests: number
  /** Tests that failed while they were in quarantine. They are not among `failedTests` and do not decide. */
  mutedTests: number
  flakyTests: number
  /** The results of single tests are deleted some time after the run. */
  resultsDeleted: boolean
  coverage: number | null
  coverageFigures: CoverageFigures | null
  duration: number | null
  plan: PlannedPart[] | null
  /** The source of `plan`. It also says how to run only some of the tests. */
  recipe: RunPlan | null
  /** The steps that have ended, in their order; null for runs of earlier versions. */
  timeline: TimelineStep[] | null
  executor: string | null
  progress: RunProgress | null
  error: RunError | null
  warnings: RunWarning[]
  /** Counts the attempts. Only the worker of the latest attempt may change the run. */
  attempt: number
  createdAt: Date
  /** When the tests ran: for an upload as it says, otherwise when the run was created. Orders the history of a test. */
  ranAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

export const TestRunEntity = new EntitySchema<TestRunRow>({
  name: 'TestRun',
  tableName: 'test_runs',
  columns: {
    id,
    projectId: { ...text, name: 'project_id' },
    userId: { ...text, name: 'user_id' },
    tokenId: { ...optionalText, name: 'token_id' },
    status: text,
    type: text,
    source: text,
    branch: optionalText,
    commitSha: { ...optionalText, name: 'commit_sha' },
    snapshotId: { ...optionalText, name: 'snapshot_id' },
    testedSha: { ...optionalText, name: 'tested_sha' },
    pullRequest: { ...integer, nullable: true, name: 'pull_request' },
    withSecrets: { ...boolean, name: 'with_secrets' },
    selection: optionalJson,
    impacted: optionalJson,
    rerunOf: { ...optionalText, name: 'rerun_of' },
    name: optionalText,
    idempotencyKey: { ...optionalText, name: 'idempotency_key' },
    requestDigest: { ...optionalText, name: 'request_digest' },
    totalTests: { ...integer, name: 'total_tests' },
    passedTests: { ...integer, name: 'passed_tests' },
    failedTests: { ...integer, name: 'failed_tests' },
    skippedTests: { ...integer, name: 'skipped_tests' },
    mutedTests: { ...integer, name: 'muted_tests' },
    flakyTests: { ...integer, name: 'flaky_tests' },
    resultsDeleted: { ...boolean, name: 'results_deleted' },
    coverage: { type: 'double precision', nullable: true },
    coverageFigures: { ...optionalJson, name: 'coverage_figures' },
    duration: { ...integer, nullable: true },
    plan: optionalJson,
    recipe: optionalJson,
    timeline: optionalJson,
    executor: optionalText,
    progress: optionalJson,
    error: optionalJson,
    warnings: { ...json, transformer: storedWarnings },
    attempt: integer,
    createdAt: { ...time, name: 'created_at' },
    ranAt: { ...time, name: 'ran_at' },
    startedAt: { ...optionalTime, name: 'started_at' },
    completedAt: { ...optionalTime, name: 'completed_at' },
  } satisfies Columns<TestRunRow>,
})
