import { rm } from 'node:fs/promises'
import { type DataSource, Not } from 'typeorm'
import { accessToRepository, type RepositoryAccess, withCredential } from '../code-host/repository-access.ts'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { type Attempt, type RecordError, recordJob } from '../jobs/record-job.ts'
import { redactLine } from '../base/log.ts'
import { storableJsonText } from '../base/storable-json.ts'
import { announceProject } from '../projects/announce.ts'
import { mayReadLocally } from '../projects/local-repositories.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { emit } from '../events/emit.ts'
import { analyzeInChildProcess, AnalysisInterrupted, type FinishedAnalysis } from '../../engines/analysis/run.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { AnalysisEntity, type AnalysisRow } from './entity.ts'
import { presentCompleted } from './present.ts'

export const analysisQueue = 'analysis'

interface AnalysisJob {
  analysisId: string
}

/** Runs queued analyses, each in a separate process, and stores the results. */
export function analysisJob(services: Services, dataSource: DataSource): JobKind<AnalysisJob> {
  return recordJob<AnalysisJob, Partial<AnalysisRow>>(services, dataSource, {
    noun: 'analysis',
    queue: analysisQueue,
    retryLimit: 3,
    expireInSeconds: 900,
    concurrency: services.config.analysisConcurrency,
    idOf: ({ analysisId }) => analysisId,
    begin,
    abandon: fail,
    isInterruption: (error) => error instanceof AnalysisInterrupted,
  })
}

async function begin(ctx: Context, id: string): Promise<Attempt<Partial<AnalysisRow>> | undefined> {
  const analyses = ctx.db.getRepository(AnalysisEntity)
  const analysis = await analyses.findOneBy({ id })
  const project = analysis && (await ctx.db.getRepository(ProjectEntity).findOneBy({ id: analysis.projectId }))
  if (!analysis || !project || analysis.status === 'completed' || analysis.status === 'failed') return undefined
  await analyses.update({ id }, { status: 'running', startedAt: ctx.now() })

  const running = { id, status: 'running' as const }
  const directory = cacheDirectory(ctx.config, project.id)
  let known: Partial<AnalysisRow> | undefined
  let access: RepositoryAccess | undefined
  return {
    isCurrent: () => analyses.existsBy(running),
    progress: () => known,
    writeProgress: async (change) => (await analyses.update(running, change)).affected !== 0,
    work: async (attempt, writeNow) => {
      access = await accessToRepository(attempt, project)
      const allowLocal = await mayReadLocally(attempt, project)
      const finished = await withCredential(access, (credential) =>
        analyzeInChildProcess(
          {
            url: project.repository,
            directory,
            ref: { branch: analysis.requestedBranch ?? undefined, commitSha: analysis.requestedCommit ?? undefined },
            allowLocal,
            allowCidrs: ctx.config.outboundAllowCidrs,
            credential,
          },
          {
            signal: attempt.signal,
            onCommit: ({ commitSha, branch = null }) => {
              known = { ...known, commitSha, branch }
              writeNow()
            },
            onProgress: (progress) => void (known = { ...known, progress }),
          },
        ),
      )
      await complete(ctx, analysis, finished)
    },
    explain: (error) => (error instanceof RepositoryError ? describeRefusal(error, access) : undefined),
    fail: (error) => fail(ctx, id, error),
    onLost: async () => {
      // The project was deleted, so its clone is deleted, too.
      if (!(await analyses.existsBy({ id }))) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Error messages of hosts may contain secrets, so they are redacted. */
function describeRefusal({ code, message }: RepositoryError, access: RepositoryAccess | undefined): RecordError {
  const isHidden = code === 'authentication_required' || code === 'not_found'
  return { code, message: redactLine(message) + (isHidden && access ? ` ${access.advice}` : '') }
}

/** Stores the result and announces it, once. */
async function complete(
  ctx: Context,
  analysis: Pick<AnalysisRow, 'id' | 'projectId'>,
  finished: FinishedAnalysis,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const project = await fillIn(tx, analysis.projectId, finished)
    if (!project) return
    // The result stays JSON text on its way to the database: parsing it would block this process.
    const [, updated] = await tx.db.query<[unknown, number]>(
      `UPDATE analyses
          SET status = 'completed', commit_sha = $2, branch = $3, files_analyzed = $4, test_candidates = $5,
              languages = $6, frameworks = $7, result = $8, completed_at = $9, progress = NULL, error = NULL
        WHERE id = $1 AND status <> 'completed'`,
      [
        analysis.id,
        finished.commitSha,
        finished.branch ?? null,
        finished.filesAnalyzed,
        finished.testCandidates,
        JSON.stringify(finished.languages),
        JSON.stringify(finished.frameworks),
        storableJsonText(finished.json),
        tx.now(),
      ],
    )
    const completed = updated === 0 ? null : await tx.db.getRepository(AnalysisEntity).findOneBy({ id: analysis.id })
    if (completed) await emit(tx, { type: 'analysis.completed', project, data: presentCompleted(completed) })
  })
}

/**
 * Sets the project's language and framework if they are not set. It locks the project before the analysis, in the same
 * order as the deletion of a project.
 *
 * @returns null if the project was deleted
 */
async function fillIn(
  tx: Pick<Context, 'db' | 'now'>,
  projectId: string,
  { primaryLanguage, frameworks }: FinishedAnalysis,
) {
  const projects = tx.db.getRepository(ProjectEntity)
  const project = await projects.findOne({ where: { id: projectId }, lock: { mode: 'for_no_key_update' } })
  if (!project) return null
  const language = project.language ?? primaryLanguage ?? null
  const framework = project.framework ?? frameworks[0] ?? null
  if (language === project.language && framework === project.framework) return project
  const after = { ...project, language, framework, updatedAt: tx.now() }
  await projects.update({ id: projectId }, { language, framework, updatedAt: after.updatedAt })
  await announceProject(tx, 'project.updated', after)
  return after
}

async function fail(ctx: Context, id: string, error: RecordError): Promise<void> {
  const end = { status: 'failed' as const, error, completedAt: ctx.now(), progress: null }
  await ctx.db.getRepository(AnalysisEntity).update({ id, status: Not('completed') }, end)
}
