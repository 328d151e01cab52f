import { candidatesUrl, type Site } from '../base/page-urls.ts'
import type { AnalysisRow } from './entity.ts'
import { isPending } from './rank-anew.ts'
import type { Analysis } from './schema.ts'

/** Returns an analysis without its result. */
export function presentAnalysis(site: Site, row: Omit<AnalysisRow, 'result'>): Analysis {
  return {
    id: row.id,
    projectId: row.projectId,
    url: candidatesUrl(site, row.projectId),
    status: row.status,
    branch: row.branch ?? row.requestedBranch,
    commitSha: row.commitSha ?? row.requestedCommit,
    snapshotId: row.snapshotId,
    filesAnalyzed: row.filesAnalyzed,
    testCandidates: row.testCandidates,
    languages: row.languages,
    frameworks: row.frameworks,
    progress: row.progress,
    coverage: row.coverage,
    ranking: isPending(row) ? 'pending' : 'current',
    rankedAt: row.rankedAt?.toISOString() ?? null,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  }
}

/** The data of `analysis.completed`. */
export const presentCompleted = (site: Site, row: Omit<AnalysisRow, 'result'>) => {
  const { snapshotId, ...analysis } = presentAnalysis(site, row)
  const optional = snapshotId === null ? {} : { snapshotId }
  return { ...analysis, ...optional, status: 'completed' as const, progress: null, error: null }
}
