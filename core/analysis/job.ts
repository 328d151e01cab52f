import { rm } from 'node:fs/promises'
import { type DataSource, Not } from 'typeorm'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { type Attempt, type RecordError, recordJob } from '../jobs/record-job.ts'
import { storableJsonText } from '../base/storable-json.ts'
import { announceProject } from '../projects/announce.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { emit } from '../events/emit.ts'
import { AnalysisInterrupted, type FinishedAnalysis } from '../../engines/analysis/run.ts'
import type { FirstAnswer } from '../../engines/analysis/schema.ts'
import { cacheDirectory } from '../workspaces/cache-directory.ts'
import { lastMeasuredAt } from '../coverage/measured.ts'
import { analyzeProject, Refusal } from './analyze-project.ts'
import { AnalysisEntity, type AnalysisRow } from './entity.ts'
import { presentCompleted } from './present.ts'
import { requestRanking } from './rank-anew.ts'
import { markOutdatedSuggestions } from './outdated-suggestions.ts'

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
  let firstAnswer: FirstAnswer | undefined
  return {
    isCurrent: () => analyses.existsBy(running),
    progress: () => known,
    writeProgress: async (change) => (await analyses.update(running, change)).affected !== 0,
    work: async (attempt, writeNow) => {
      const startedAt = ctx.now()
      const finished = await analyzeProject(attempt, project, {
        ref: { branch: analysis.requestedBranch ?? undefined, commitSha: analysis.requestedCommit ?? undefined },
        of: analysis,
        onCommit: ({ commitSha, branch = null }) => {
          known = { ...known, commitSha, branch: analysis.snapshotId === null ? branch : null }
          writeNow()
        },
        onFirstAnswer: (answer) => {
          firstAnswer = answer
          if (known?.progress) known = { ...known, progress: { ...known.progress, firstAnswer } }
          writeNow()
        },
        onProgress: (progress) =>
          void (known = { ...known, progress: { ...progress, ...(firstAnswer && { firstAnswer }) } }),
      })
      await complete(ctx, analysis, finished, startedAt)
    },
    explain: (error) => (error instanceof Refusal ? error.reason : undefined),
    fail: (error) => fail(ctx, id, error),
    onLost: async () => {
      // The project was deleted, so its clone is deleted, too.
      if (!(await analyses.existsBy({ id }))) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Stores the result and announces it, once. */
async function complete(
  ctx: Context,
  analysis: Pick<AnalysisRow, 'id' | 'projectId' | 'snapshotId'>,
  finished: FinishedAnalysis,
  startedAt: Date,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const isSnapshot = analysis.snapshotId !== null
    const project = await fillIn(tx, analysis.projectId, isSnapshot ? undefined : finished)
    if (!project) return
    // The result stays JSON text on its way to the database: parsing it would block this process.
    const [, updated] = await tx.db.query<[unknown, number]>(
      `UPDATE analyses
          SET status = 'completed', commit_sha = $2, branch = $3, files_analyzed = $4, test_candidates = $5,
              languages = $6, frameworks = $7, result = $8, completed_at = $9, coverage = $10, ranked_at = $9,
              progress = NULL, error = NULL
        WHERE id = $1 AND status <> 'completed'`,
      [
        analysis.id,
        finished.commitSha,
        isSnapshot ? null : (finished.branch ?? null),
        finished.filesAnalyzed,
        finished.testCandidates,
        JSON.stringify(finished.languages),
        JSON.stringify(finished.frameworks),
        storableJsonText(finished.json),
        tx.now(),
        finished.coverage && JSON.stringify(finished.coverage),
      ],
    )
    const completed = updated === 0 ? null : await tx.db.getRepository(AnalysisEntity).findOneBy({ id: analysis.id })
    if (!completed) return
    await emit(tx, { type: 'analysis.completed', project, data: presentCompleted(tx, completed) })
    // A snapshot says nothing about the state of the repository.
    if (!isSnapshot) await markOutdatedSuggestions(tx, project.id)
    // A run may have ended after the analysis looked for coverage.
    const measuredAt = await lastMeasuredAt(tx, project.id, analysis.snapshotId)
    if (measuredAt && measuredAt >= startedAt) await requestRanking(tx, project.id, analysis.snapshotId)
  })
}

/**
 * Sets the project's language and framework if they are not set and the analysis is of the repository. It locks the project before the analysis, in the same
 * order as the deletion of a project.
 *
 * @returns null if the project was deleted
 */
async function fillIn(
  tx: Pick<Context, 'db' | 'now' | 'config'>,
  projectId: string,
  finished: FinishedAnalysis | undefined,
) {
  const projects = tx.db.getRepository(ProjectEntity)
  const project = await projects.findOne({ where: { id: projectId }, lock: { mode: 'for_no_key_update' } })
  if (!project) return null
  const language = project.language ?? finished?.primaryLanguage ?? null
  const framework = project.framework ?? finished?.frameworks[0] ?? null
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
