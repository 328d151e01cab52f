import { accessToRepository, type RepositoryAccess, withCredential } from '../code-host/repository-access.ts'
import type { Context } from '../base/context.ts'
import { redactLine } from '../base/log.ts'
import { loadCommitCoverage, measuredCommits } from '../coverage/measured.ts'
import { loadFileStrength } from '../coverage/strength.ts'
import type { RecordError } from '../jobs/record-job.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import {
  type AnalysisJob,
  analyzeInChildProcess,
  type FinishedAnalysis,
  type RunOptions,
} from '../../engines/analysis/run.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { planSettingsOf } from '../../engines/test-plan/plan.ts'
import { storedSnapshot } from '../snapshots/stored-snapshot.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'

type Wanted = Pick<AnalysisJob, 'ref' | 'isKnown' | 'scope' | 'limits'> &
  Pick<RunOptions, 'onCommit' | 'onFirstAnswer' | 'onProgress'> & { of?: { snapshotId: string | null } }

/**
 * Analyzes a commit or a snapshot of the project in another process, and ranks it by what runs, uploads and
 * measurements of strength found.
 *
 * @throws Refusal if the owner of the repository can do something about the failure
 */
export async function analyzeProject(
  ctx: Context,
  project: Omit<ProjectRow, 'settings'>,
  { ref, isKnown = false, scope, limits, of = { snapshotId: null }, ...callbacks }: Wanted,
): Promise<FinishedAnalysis> {
  let access: RepositoryAccess | undefined
  try {
    const snapshot = (await storedSnapshot(ctx, project, of))?.source
    access = await accessToRepository(ctx, project)
    const [allowLocal, commits, strength, settings] = await Promise.all([
      mayReadLocally(ctx, project),
      measuredCommits(ctx, project.id, of.snapshotId),
      loadFileStrength(ctx, project.id, of.snapshotId),
      loadProjectSettings(ctx, project.id),
    ])
    const { config, signal } = ctx
    return await withCredential(access, (credential) =>
      analyzeInChildProcess(
        {
          url: project.repository,
          directory: cacheDirectory(config, project.id),
          ref,
          isKnown,
          ...(scope && { scope }),
          ...(limits && { limits }),
          ...(snapshot && { snapshot }),
          measuredCommits: commits,
          strength,
          planSettings: planSettingsOf(settings),
          allowLocal,
          allowCidrs: config.outboundAllowCidrs,
          credential,
        },
        {
          signal,
          keepsProcess: true,
          ...callbacks,
          loadCoverage: async (commitSha) => (await loadCommitCoverage(ctx, project.id, commitSha, of)).files,
        },
      ),
    )
  } catch (error) {
    if (error instanceof RunFailure) throw new Refusal({ code: error.code, message: error.message }, error)
    throw error instanceof RepositoryError && !ctx.signal.aborted ? new Refusal(describe(error, access), error) : error
  }
}

/** The repository cannot be analyzed, for a reason that its owner can understand. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly reason: RecordError
  constructor(reason: RecordError, cause: unknown) {
    super(reason.message, { cause })
    this.reason = reason
  }
}

/** Error messages of hosts may contain secrets, so they are redacted. */
function describe({ code, message }: RepositoryError, access: RepositoryAccess | undefined): RecordError {
  const isHidden = code === 'authentication_required' || code === 'not_found'
  return { code, message: redactLine(message) + (isHidden && access ? ` ${access.advice}` : '') }
}
