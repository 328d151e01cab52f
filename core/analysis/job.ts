import { rm } from 'node:fs/promises'
import type { DataSource } from 'typeorm'
import { accessToRepository, type RepositoryAccess, withCredential } from '../code-host/repository-access.ts'
import type { Context, Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { redactLine } from '../base/log.ts'
import { storableJsonText } from '../base/storable-json.ts'
import { announceProject } from '../projects/announce.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { emit } from '../events/emit.ts'
import { analyzeInChildProcess, AnalysisInterrupted, type FinishedAnalysis } from '../../engines/analysis/run.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { AnalysisEntity, type AnalysisRow } from './entity.ts'
import { presentCompleted } from './present.ts'
import { watchAnalysis } from './watch.ts'

export const analysisQueue = 'analysis'

interface AnalysisJob {
  analysisId: string
}

/** Takes analyses from the queue: marks them running, has them made in a process of their own, stores what came out. */
export function analysisJob(services: Services, dataSource: DataSource): JobKind<AnalysisJob> {
  return {
    queue: analysisQueue,
    retryLimit: 3,
    heartbeatSeconds: 10,
    expireInSeconds: 900,
    concurrency: services.config.analysisConcurrency,
    handle: (payload, signal) => runAnalysis(services, dataSource, payload.analysisId, signal),
    giveUp: ({ analysisId }) =>
      fail(services, dataSource, analysisId, {
        code: 'interrupted',
        message:
          'The process that analysed it died several times. Its log says why; the repository may be too much for it.',
      }),
  }
}

async function runAnalysis(services: Services, dataSource: DataSource, analysisId: string, signal: AbortSignal) {
  const analyses = dataSource.getRepository(AnalysisEntity)
  const analysis = await analyses.findOneBy({ id: analysisId })
  const project = analysis && (await dataSource.getRepository(ProjectEntity).findOneBy({ id: analysis.projectId }))
  // Deleted meanwhile, or finished by an attempt that died before it could say so.
  if (!analysis || !project || analysis.status === 'completed' || analysis.status === 'failed') return

  await analyses.update({ id: analysisId }, { status: 'running', startedAt: services.now() })
  const deleted = new AbortController()
  const directory = cacheDirectory(services.config, project.id)
  let access: RepositoryAccess | undefined
  const progress = watchAnalysis(services, dataSource, analysisId, () => deleted.abort())
  try {
    const either = AbortSignal.any([signal, deleted.signal])
    access = await accessToRepository({ ...services, db: dataSource.manager, signal: either }, project)
    const finished = await withCredential(access, (credential) =>
      analyzeInChildProcess(
        {
          url: project.repository,
          directory,
          ref: { branch: analysis.requestedBranch ?? undefined, commitSha: analysis.requestedCommit ?? undefined },
          allowLocal: services.config.repositoriesAllowLocal,
          allowCidrs: services.config.outboundAllowCidrs,
          credential,
        },
        {
          signal: either,
          onCommit: (commit) => progress.commit(commit),
          onProgress: (state) => progress.report(state),
        },
      ),
    )
    await progress.stop()
    await complete(services, dataSource, analysis, finished)
  } catch (error) {
    await progress.stop()
    if (deleted.signal.aborted) {
      await rm(directory, { recursive: true, force: true })
      return
    }
    if (!(error instanceof RepositoryError)) services.log.error({ err: error, analysisId }, 'analysis failed')
    // The program stops, or somebody killed the process: the queue has it done again, a few times at most.
    if (signal.aborted || error instanceof AnalysisInterrupted) throw error
    await fail(services, dataSource, analysisId, describeFailure(error, access))
  }
}

/** What the repository's owner gets to read. Servers put any text into their errors, so it is cleaned of secrets. */
function describeFailure(error: unknown, access: RepositoryAccess | undefined): NonNullable<AnalysisRow['error']> {
  if (error instanceof RepositoryError) {
    const hidden = error.code === 'authentication_required' || error.code === 'not_found'
    const advice = hidden && access ? ` ${access.advice}` : ''
    return { code: error.code, message: redactLine(error.message) + advice }
  }
  if (/ENOSPC|No space left/i.test(String(error))) {
    return { code: 'disk_full', message: 'The disk of the server is full. Try again after space was freed.' }
  }
  return {
    code: 'internal',
    message: 'Assay failed to analyze this repository. This is a defect in Assay; the server log has the details.',
  }
}

/** Stores the result and tells of it, once. */
async function complete(
  services: Services,
  dataSource: DataSource,
  analysis: Pick<AnalysisRow, 'id' | 'projectId'>,
  finished: FinishedAnalysis,
) {
  await dataSource.transaction(async (db) => {
    const tx = { db, now: services.now }
    const project = await fillIn(tx, analysis.projectId, finished)
    if (!project) return
    // The result arrives as JSON text and goes to the database as such: building the objects would block this process.
    const [, updated] = await db.query<[unknown, number]>(
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
        services.now(),
      ],
    )
    const completed = updated === 0 ? null : await db.getRepository(AnalysisEntity).findOneBy({ id: analysis.id })
    if (completed) await emit(tx, { type: 'analysis.completed', project, data: presentCompleted(completed) })
  })
}

/**
 * Fills in what the project's owner left open, until now. The project is locked before the analysis: whoever deletes it
 * takes them in this order too.
 *
 * @returns null where it is deleted
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

async function fail(
  services: Services,
  dataSource: DataSource,
  analysisId: string,
  error: NonNullable<AnalysisRow['error']>,
) {
  await dataSource
    .getRepository(AnalysisEntity)
    .update({ id: analysisId }, { status: 'failed', error, completedAt: services.now(), progress: null })
}
