import { In, IsNull } from 'typeorm'
import { newId } from '../ids.ts'
import { type Context, inTransaction } from '../context.ts'
import { conflict, invalid } from '../errors.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { getOwnProject } from '../projects/get.ts'
import { acceptBranch, acceptRepository, remoteCommit } from '../projects/repository.ts'
import { AnalysisEntity } from './entity.ts'
import { analysisQueue } from './job.ts'
import { presentAnalysis } from './present.ts'
import type { Analysis, StartAnalysis } from './schema.ts'

const maxWaitingOfProject = 5
const maxWaitingOfUser = 20

/**
 * Asks for an analysis and returns its record at once. A request for a commit that is already being analysed, or
 * waits to be, joins that analysis.
 */
export async function startAnalysis(ctx: Context, input: StartAnalysis): Promise<Analysis> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  if (input.repoUrl !== undefined && acceptRepository(ctx, input.repoUrl) !== project.repository) {
    throw invalid('repoUrl: is not the repository of this project. Leave it out, or change the project first.')
  }
  const requestedCommit = input.commitSha ?? null
  const requestedBranch =
    input.branch === undefined ? (requestedCommit ? null : project.branch) : acceptBranch(input.branch)
  const analyses = ctx.db.getRepository(AnalysisEntity)

  // A running analysis of the same branch may be of an older commit: only the repository knows.
  const running = await analyses.findBy({ projectId: project.id, status: 'running' })
  const sameBranch = running.find((row) => row.commitSha && row.branch === requestedBranch)
  const wanted =
    requestedCommit ?? (sameBranch ? await remoteCommit(ctx, project.repository, requestedBranch) : undefined)
  const joined = running.find((row) => (wanted ? row.commitSha === wanted : false))
  if (joined) return presentAnalysis(joined)

  return inTransaction(ctx, async (tx) => {
    // One request at a time per project: two at once must find each other.
    await tx.db.getRepository(ProjectEntity).findOne({
      where: { id: project.id },
      select: { id: true },
      lock: { mode: 'pessimistic_write' },
    })
    const waiting = await tx.db.getRepository(AnalysisEntity).findOneBy({
      projectId: project.id,
      status: In(['pending', 'running']),
      commitSha: IsNull(),
      requestedBranch: requestedBranch ?? IsNull(),
      requestedCommit: requestedCommit ?? IsNull(),
    })
    if (waiting) return presentAnalysis(waiting)
    await requireRoomInQueue(tx, project.id, project.userId)

    const row = {
      id: newId(tx.now()),
      projectId: project.id,
      status: 'pending' as const,
      requestedBranch,
      requestedCommit,
      branch: null,
      commitSha: null,
      filesAnalyzed: 0,
      testCandidates: 0,
      languages: {},
      frameworks: [],
      progress: null,
      error: null,
      createdAt: tx.now(),
      startedAt: null,
      completedAt: null,
    }
    await tx.db.getRepository(AnalysisEntity).insert(row)
    await tx.jobs.enqueue(tx.db, analysisQueue, { analysisId: row.id }, { group: project.id })
    return presentAnalysis(row)
  })
}

/** Nobody can fill the queue that everybody shares. */
async function requireRoomInQueue(tx: Context, projectId: string, userId: string): Promise<void> {
  const [{ ofProject, ofUser }] = await tx.db.query<[{ ofProject: number; ofUser: number }]>(
    `SELECT count(*) FILTER (WHERE a.project_id = $1)::int AS "ofProject", count(*)::int AS "ofUser"
       FROM analyses a JOIN projects p ON p.id = a.project_id
      WHERE p.user_id = $2 AND a.status = 'pending'`,
    [projectId, userId],
  )
  if (ofProject >= maxWaitingOfProject || ofUser >= maxWaitingOfUser) {
    const whose = ofProject >= maxWaitingOfProject ? `This project has ${ofProject}` : `Your projects have ${ofUser}`
    throw conflict(`${whose} analyses waiting already. Ask again when some of them have ended.`)
  }
}
