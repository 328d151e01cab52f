import pg, { type ClientBase } from 'pg'
import { DataSource } from 'typeorm'
import { AnalysisEntity } from './core/analysis/entity.ts'
import { AuditLogEntity } from './core/identity/audit/entity.ts'
import { PasswordEntity } from './core/identity/auth/entity.ts'
import { AccountLinkEntity } from './core/code-host/entity.ts'
import { CodeHostConnectionEntity } from './core/code-host-connections/entity.ts'
import { ConfirmationEntity } from './core/confirmations/entity.ts'
import { ChangeEntity } from './core/changes/entity.ts'
import { GateEntity } from './core/gate/entity.ts'
import { MeasurementEntity } from './core/strength/entity.ts'
import { UserEntity } from './core/identity/users/entity.ts'
import { SubscriptionEntity } from './core/identity/organizations/subscription-entity.ts'
import { DoomedObjectEntity, FileEntity } from './core/files/entity.ts'
import { GeneratedTestEntity } from './core/generated-tests/entity.ts'
import { InboundDeliveryEntity, InboundSecretEntity } from './core/inbound/entity.ts'
import { InvitationEntity, MembershipEntity, OrganizationEntity } from './core/identity/organizations/entity.ts'
import { ProjectEntity } from './core/projects/entity.ts'
import { SnapshotEntity } from './core/snapshots/entity.ts'
import { QuarantineEntity } from './core/quarantine/entity.ts'
import { SessionEntity } from './core/identity/sessions/entity.ts'
import { SuggestionEntity } from './core/suggestions/entity.ts'
import { TestRunEntity } from './core/test-runs/entity.ts'
import { TokenEntity } from './core/identity/tokens/entity.ts'
import { VerificationEntity } from './core/verifications/entity.ts'
import { WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEntity } from './core/webhooks/entity.ts'
import { Users1763640000000 } from './migrations/1763640000000-users.ts'
import { Projects1763640001000 } from './migrations/1763640001000-projects.ts'
import { ApiTokens1763640002000 } from './migrations/1763640002000-api-tokens.ts'
import { Analyses1763640003000 } from './migrations/1763640003000-analyses.ts'
import { Sessions1763640004000 } from './migrations/1763640004000-sessions.ts'
import { SignIn1763640005000 } from './migrations/1763640005000-sign-in.ts'
import { AuditLogs1763640006000 } from './migrations/1763640006000-audit-logs.ts'
import { RateLimits1763640007000 } from './migrations/1763640007000-rate-limits.ts'
import { Organizations1763640008000 } from './migrations/1763640008000-organizations.ts'
import { Files1763640009000 } from './migrations/1763640009000-files.ts'
import { Inbound1763640010000 } from './migrations/1763640010000-inbound.ts'
import { Billing1763640011000 } from './migrations/1763640011000-billing.ts'
import { CommitStatuses1763640012000 } from './migrations/1763640012000-commit-statuses.ts'
import { RepositoryUsers1763640013000 } from './migrations/1763640013000-repository-users.ts'
import { TestRuns1763640014000 } from './migrations/1763640014000-test-runs.ts'
import { Webhooks1763640015000 } from './migrations/1763640015000-webhooks.ts'
import { Proof1763640016000 } from './migrations/1763640016000-proof.ts'
import { AuditAndReceivers1763640017000 } from './migrations/1763640017000-audit-and-receivers.ts'
import { MeasuredCoverage1763640018000 } from './migrations/1763640018000-measured-coverage.ts'
import { SuggestedCases1763640019000 } from './migrations/1763640019000-suggested-cases.ts'
import { LeftOutCases1763640020000 } from './migrations/1763640020000-left-out-cases.ts'
import { CoverageFigures1763640021000 } from './migrations/1763640021000-coverage-figures.ts'
import { GeneratedCases1763640022000 } from './migrations/1763640022000-generated-cases.ts'
import { Snapshots1763640023000 } from './migrations/1763640023000-snapshots.ts'
import { Changes1763640024000 } from './migrations/1763640024000-changes.ts'
import { ProvisionalVerdicts1763640025000 } from './migrations/1763640025000-provisional-verdicts.ts'
import { Strength1763640026000 } from './migrations/1763640026000-strength.ts'
import { VerificationBudget1763640028000 } from './migrations/1763640028000-verification-budget.ts'
import { FileStrength1763640030000 } from './migrations/1763640030000-file-strength.ts'
import { SurvivedMutants1763640031000 } from './migrations/1763640031000-survived-mutants.ts'
import { ReachedMutants1763640032000 } from './migrations/1763640032000-reached-mutants.ts'
import { RunsOfBranches1763640033000 } from './migrations/1763640033000-runs-of-branches.ts'
import { Activity1763640033100 } from './migrations/1763640033100-activity.ts'
import { KeptTests1763640033200 } from './migrations/1763640033200-kept-tests.ts'
import { SearchedCommits1763640034000 } from './migrations/1763640034000-searched-commits.ts'
import { Timelines1763640034100 } from './migrations/1763640034100-timelines.ts'
import { ReachedLines1763640035000 } from './migrations/1763640035000-reached-lines.ts'
import { PartitionedResults1763640036000 } from './migrations/1763640036000-partitioned-results.ts'
import { TestHealth1763640036100 } from './migrations/1763640036100-test-health.ts'
import { UnjudgedTests1763640036200 } from './migrations/1763640036200-unjudged-tests.ts'
import { CodeownersProblems1763640036300 } from './migrations/1763640036300-codeowners-problems.ts'
import { CompleteBranches1763640037000 } from './migrations/1763640037000-complete-branches.ts'
import { Gates1763640037100 } from './migrations/1763640037100-gates.ts'
import { CodeHostPosts1763640038000 } from './migrations/1763640038000-code-host-posts.ts'
import { Selection1763640039000 } from './migrations/1763640039000-selection.ts'
import { MeasuredReaches1763640040000 } from './migrations/1763640040000-measured-reaches.ts'
import { UnchainedAuditLogs1763640041000 } from './migrations/1763640041000-unchained-audit-logs.ts'
import { FailuresOfRuns1763640041100 } from './migrations/1763640041100-failures-of-runs.ts'
import { MutantResults1763640029000 } from './migrations/1763640029000-mutant-results.ts'

export const entities = [
  UserEntity,
  PasswordEntity,
  AccountLinkEntity,
  CodeHostConnectionEntity,
  SessionEntity,
  TokenEntity,
  AuditLogEntity,
  OrganizationEntity,
  MembershipEntity,
  InvitationEntity,
  ProjectEntity,
  AnalysisEntity,
  InboundSecretEntity,
  InboundDeliveryEntity,
  SubscriptionEntity,
  FileEntity,
  DoomedObjectEntity,
  TestRunEntity,
  QuarantineEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
  WebhookAttemptEntity,
  SuggestionEntity,
  GeneratedTestEntity,
  VerificationEntity,
  SnapshotEntity,
  ChangeEntity,
  GateEntity,
  ConfirmationEntity,
  MeasurementEntity,
]

export const migrations = [
  Users1763640000000,
  Projects1763640001000,
  ApiTokens1763640002000,
  Analyses1763640003000,
  Sessions1763640004000,
  SignIn1763640005000,
  AuditLogs1763640006000,
  RateLimits1763640007000,
  Organizations1763640008000,
  Files1763640009000,
  Inbound1763640010000,
  Billing1763640011000,
  CommitStatuses1763640012000,
  RepositoryUsers1763640013000,
  TestRuns1763640014000,
  Webhooks1763640015000,
  Proof1763640016000,
  AuditAndReceivers1763640017000,
  MeasuredCoverage1763640018000,
  SuggestedCases1763640019000,
  LeftOutCases1763640020000,
  CoverageFigures1763640021000,
  GeneratedCases1763640022000,
  Snapshots1763640023000,
  Changes1763640024000,
  ProvisionalVerdicts1763640025000,
  Strength1763640026000,
  VerificationBudget1763640028000,
  MutantResults1763640029000,
  FileStrength1763640030000,
  SurvivedMutants1763640031000,
  ReachedMutants1763640032000,
  RunsOfBranches1763640033000,
  Activity1763640033100,
  KeptTests1763640033200,
  SearchedCommits1763640034000,
  Timelines1763640034100,
  ReachedLines1763640035000,
  PartitionedResults1763640036000,
  TestHealth1763640036100,
  UnjudgedTests1763640036200,
  CodeownersProblems1763640036300,
  CompleteBranches1763640037000,
  Gates1763640037100,
  CodeHostPosts1763640038000,
  Selection1763640039000,
  MeasuredReaches1763640040000,
  UnchainedAuditLogs1763640041000,
  FailuresOfRuns1763640041100,
]

/** How long Postgres works or waits for one connection before it stops, in milliseconds. */
export interface DatabaseTimeouts {
  statement: number
  lock: number
  /** A transaction that waits for the program longer than this loses its connection. */
  idleInTransaction: number
}

export interface DataSourceOptions {
  url: string
  poolSize: number
  /** Without them, statements and locks have no limit. */
  timeouts?: DatabaseTimeouts
  /** Called when an idle connection of the pool breaks. */
  onPoolError: (error: unknown) => void
}

/** The metadata of the entities is the same for every database, and building it takes 10 ms. */
class AssayDataSource extends DataSource {
  static #built: Pick<DataSource, 'entityMetadatas' | 'entityMetadatasMap' | 'migrations'> | undefined

  protected override async buildMetadatas(): Promise<void> {
    if (AssayDataSource.#built) {
      Object.assign(this, AssayDataSource.#built)
      return
    }
    await super.buildMetadatas()
    const { entityMetadatas, entityMetadatasMap, migrations } = this
    AssayDataSource.#built = { entityMetadatas, entityMetadatasMap, migrations }
  }
}

export function createDataSource({ url, poolSize, timeouts, onPoolError }: DataSourceOptions): DataSource {
  return new AssayDataSource({
    type: 'postgres',
    // TypeORM would load a second copy of it where this module is part of a bundle.
    driver: pg,
    url,
    entities,
    migrations,
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    applicationName: 'assay',
    connectTimeoutMS: 5_000,
    poolSize,
    poolErrorHandler: onPoolError,
    // pg-pool removes its own listener while a connection is in use. An error of a connection without a listener ends
    // the process, and a broken connection does not return to the pool.
    extra: {
      onConnect: (client: ClientBase) => void client.on('error', () => {}),
      ...(timeouts && {
        statement_timeout: timeouts.statement,
        lock_timeout: timeouts.lock,
        idle_in_transaction_session_timeout: timeouts.idleInTransaction,
      }),
    },
    synchronize: false,
  })
}
