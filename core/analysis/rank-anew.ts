import { type DataSource, IsNull, LessThan } from 'typeorm'
import { type Context, inTransaction, type Services } from '../base/context.ts'
import { storableJsonText } from '../base/storable-json.ts'
import type { JobKind } from '../jobs/jobs.ts'
import { type Attempt, recordJob } from '../jobs/record-job.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { AnalysisInterrupted } from '../../engines/analysis/run.ts'
import { analyzeProject, Refusal } from './analyze-project.ts'
import { AnalysisEntity } from './entity.ts'
import { markOutdatedSuggestions } from './outdated-suggestions.ts'

const rankingQueue = 'ranking'

interface RankingJob {
  analysisId: string
}

/**
 * Has the latest analysis of a project or of a snapshot ranked anew, in the caller's transaction, because its coverage has
 * changed. Does nothing if there is no analysis.
 */
export async function requestRanking(
  tx: Pick<Context, 'db' | 'now' | 'jobs'>,
  projectId: string,
  snapshotId: string | null,
): Promise<void> {
  const [[row]] = await tx.db.query<[{ id: string }[], number]>(
    `UPDATE analyses SET ranking_requested_at = greatest($2, ranked_at + interval '1 millisecond')
      WHERE id = (SELECT id FROM analyses
                   WHERE project_id = $1 AND status = 'completed' AND snapshot_id IS NOT DISTINCT FROM $3::text
                  ORDER BY id DESC LIMIT 1)
      RETURNING id`,
    [projectId, tx.now(), snapshotId],
  )
  if (row) await tx.jobs.enqueue(tx.db, rankingQueue, { analysisId: row.id }, { group: projectId })
}

/** Ranks analyses anew. The commit is neither fetched nor parsed again, because the cache of the project has both. */
export function rankingJob(services: Services, dataSource: DataSource): JobKind<RankingJob> {
  return recordJob<RankingJob, never>(services, dataSource, {
    noun: 'ranking',
    queue: rankingQueue,
    retryLimit: 2,
    expireInSeconds: 900,
    concurrency: 1,
    idOf: ({ analysisId }) => analysisId,
    begin,
    abandon: (ctx, id) => keepRanking(ctx, id),
    isInterruption: (error) => error instanceof AnalysisInterrupted,
  })
}

async function begin(ctx: Context, id: string): Promise<Attempt<never> | undefined> {
  const analyses = ctx.db.getRepository(AnalysisEntity)
  const analysis = await analyses.findOneBy({ id })
  const project = analysis && (await ctx.db.getRepository(ProjectEntity).findOneBy({ id: analysis.projectId }))
  const { commitSha, branch, rankingRequestedAt } = analysis ?? {}
  if (!project || !commitSha || !rankingRequestedAt || !isPending(analysis)) return undefined
  const isCurrent = () => analyses.existsBy({ id })
  return {
    isCurrent,
    progress: () => undefined,
    writeProgress: isCurrent,
    work: async (attempt) => {
      const ref = { commitSha, branch: branch ?? undefined }
      const wanted = { ref, of: analysis, isKnown: true }
      const { json, testCandidates, coverage } = await analyzeProject(attempt, project, wanted)
      await inTransaction(ctx, async (tx) => {
        const projects = tx.db.getRepository(ProjectEntity)
        await projects.findOne({ where: { id: project.id }, lock: { mode: 'for_no_key_update' } })
        await tx.db.query(
          `UPDATE analyses SET result = $2, test_candidates = $3, coverage = $4, ranked_at = $5 WHERE id = $1`,
          [id, storableJsonText(json), testCandidates, coverage && JSON.stringify(coverage), rankingRequestedAt],
        )
        if (analysis.snapshotId === null) await markOutdatedSuggestions(tx, project.id)
      })
    },
    explain: (error) => (error instanceof Refusal ? error.reason : undefined),
    fail: async (reason) => {
      ctx.log.warn({ analysisId: id, reason }, 'an analysis keeps its ranking, because it cannot be ranked anew')
      await keepRanking(ctx, id)
    },
  }
}

/** Whether newer coverage has not been taken into account yet. */
export const isPending = ({
  rankingRequestedAt,
  rankedAt,
}: {
  rankingRequestedAt: Date | null
  rankedAt: Date | null
}): boolean => rankingRequestedAt !== null && (rankedAt === null || rankedAt < rankingRequestedAt)

/** Whether neither the ranking of an analysis nor the one that was requested takes the coverage of a time into account. */
export function isRankedBefore({ db }: Pick<Context, 'db'>, id: string, measuredAt: Date): Promise<boolean> {
  const isEarlier = LessThan(measuredAt)
  const rows = db.getRepository(AnalysisEntity)
  return rows.existsBy([
    { id, rankedAt: isEarlier, rankingRequestedAt: IsNull() },
    { id, rankedAt: isEarlier, rankingRequestedAt: isEarlier },
  ])
}

async function keepRanking({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  await db.query('UPDATE analyses SET ranked_at = ranking_requested_at WHERE id = $1', [id])
}
