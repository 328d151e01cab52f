import { In, IsNull } from 'typeorm'
import { newId } from '../base/ids.ts'
import { type Context, inTransaction, tokenIdOf, userIdOf } from '../base/context.ts'
import { conflict, invalid } from '../base/errors.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { remoteCommit } from '../projects/repository.ts'
import { type StateInput, wantedState } from '../snapshots/wanted-state.ts'
import { AnalysisEntity } from './entity.ts'
import { analysisQueue } from './job.ts'
import { presentAnalysis } from './present.ts'
import type { Analysis, StartAnalysis } from './schema.ts'

const maxWaitingOfProject = 5
/** Over all projects of an organization, or all personal projects of a user. */
const maxWaitingOfOwner = 20

/**
 * Queues an analysis and returns its record immediately. A request for a commit with a queued or running analysis returns
 * that analysis.
 */
export async function startAnalysis(ctx: Context, input: StartAnalysis): Promise<Analysis> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  requireRepositoryOf(project, input)
  return start(ctx, project, input, (tx) => lockOwnProject(tx, project.id, 'member'))
}

/** @throws AppError 400 if the input names another repository than that of the project */
export function requireRepositoryOf(
  { repository }: Pick<ProjectRow, 'repository'>,
  { repoUrl }: Pick<StartAnalysis, 'repoUrl'>,
): void {
  if (repoUrl === undefined || repoUrl === repository) return
  throw invalid('repoUrl: is not the repository of this project. Leave it out, or update the project first.')
}

/** Queues an analysis like `startAnalysis`, without a permission check, for background jobs. */
export async function startProjectAnalysis(
  ctx: Context,
  project: StoredProject,
  input: Omit<StateInput, 'snapshotId'>,
): Promise<Analysis> {
  return start(ctx, project, input, (tx) =>
    tx.db.query('SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project.id]),
  )
}

type StoredProject = Omit<ProjectRow, 'settings'>

async function start(
  ctx: Context,
  project: StoredProject,
  input: StateInput,
  lockProject: (tx: Context) => Promise<unknown>,
): Promise<Analysis> {
  const { branch: requestedBranch, commitSha: requestedCommit, snapshotId } = await wantedState(ctx, project, input)
  const analyses = ctx.db.getRepository(AnalysisEntity)

  // A running analysis of the same branch may use an older commit, so the current commit is looked up in the repository.
  const running = await analyses.findBy({
    projectId: project.id,
    status: 'running',
    snapshotId: snapshotId ?? IsNull(),
  })
  const sameBranch = running.find((row) => row.commitSha && row.branch === requestedBranch)
  const wanted = requestedCommit ?? (sameBranch ? await remoteCommit(ctx, project, requestedBranch) : undefined)
  const joined = running.find((row) => (wanted ? row.commitSha === wanted : false))
  if (joined) return presentAnalysis(ctx, joined)

  return inTransaction(ctx, async (tx) => {
    // The lock serializes requests per project, so that a concurrent request joins this analysis.
    await lockProject(tx)
    const waiting = await tx.db.getRepository(AnalysisEntity).findOneBy({
      projectId: project.id,
      status: In(['pending', 'running']),
      commitSha: IsNull(),
      requestedBranch: requestedBranch ?? IsNull(),
      requestedCommit: requestedCommit ?? IsNull(),
      snapshotId: snapshotId ?? IsNull(),
    })
    if (waiting) return presentAnalysis(ctx, waiting)
    await requireRoomInQueue(tx, project)

    const row = {
      id: newId(tx.now()),
      projectId: project.id,
      userId: userIdOf(tx),
      tokenId: tokenIdOf(tx),
      status: 'pending' as const,
      requestedBranch,
      requestedCommit,
      branch: null,
      commitSha: null,
      snapshotId,
      filesAnalyzed: 0,
      testCandidates: 0,
      languages: {},
      frameworks: [],
      progress: null,
      coverage: null,
      rankedAt: null,
      rankingRequestedAt: null,
      error: null,
      createdAt: tx.now(),
      startedAt: null,
      completedAt: null,
    }
    await tx.db.getRepository(AnalysisEntity).insert(row)
    await tx.jobs.enqueue(tx.db, analysisQueue, { analysisId: row.id }, { group: queueGroup(tx, project) })
    return presentAnalysis(ctx, row)
  })
}

/** Limits queued analyses per project and owner, so that no owner fills the shared queue. */
async function requireRoomInQueue(tx: Context, { id, userId, organizationId }: StoredProject): Promise<void> {
  const [{ ofProject, ofOwner }] = await tx.db.query<[{ ofProject: number; ofOwner: number }]>(
    `SELECT count(*) FILTER (WHERE a.project_id = $1)::int AS "ofProject", count(*)::int AS "ofOwner"
       FROM analyses a JOIN projects p ON p.id = a.project_id
      WHERE a.status = 'pending' AND CASE WHEN $3::text IS NULL THEN p.user_id = $2 AND p.organization_id IS NULL
                                          ELSE p.organization_id = $3 END`,
    [id, userId, organizationId],
  )
  if (ofProject >= maxWaitingOfProject || ofOwner >= maxWaitingOfOwner) {
    const owner = organizationId === null ? 'Your projects have' : 'The projects of this organization have'
    const subject = ofProject >= maxWaitingOfProject ? `This project has ${ofProject}` : `${owner} ${ofOwner}`
    throw conflict(`${subject} analyses queued, which is the maximum. Try again when some of them have completed.`)
  }
}

/**
 * Returns the queue group: a process runs one analysis per group at a time. On a shared server a group is an owner, so
 * that slow repositories of one owner do not take all slots; in local mode it is a project.
 */
function queueGroup(
  { config }: Context,
  { id, userId, organizationId }: Pick<ProjectRow, 'id' | 'userId' | 'organizationId'>,
) {
  return config.local ? id : (organizationId ?? userId)
}
