import type { TestCandidate } from '../../engines/analysis/schema.ts'
import type { Context } from '../base/context.ts'
import type { CodeFile } from './schema.ts'
import type { CodeState } from './read-source.ts'

export interface RecentAnalysis {
  id: string
  commitSha: string
  snapshotId: string | null
}

/** Older analyses are not looked at. */
const maxAnalyses = 20
const maxSymbols = 500

/** Lists the latest completed analyses of the repository, after those of this commit or snapshot. */
export function recentAnalyses(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  { commitSha, snapshotId }: CodeState,
): Promise<RecentAnalysis[]> {
  return db.query<RecentAnalysis[]>(
    `(SELECT id, commit_sha AS "commitSha", snapshot_id AS "snapshotId" FROM analyses
       WHERE project_id = $1 AND status = 'completed' AND commit_sha = $2 AND snapshot_id IS NOT DISTINCT FROM $3
       ORDER BY id DESC LIMIT 1)
     UNION ALL
     (SELECT id, commit_sha, NULL FROM analyses
       WHERE project_id = $1 AND status = 'completed' AND commit_sha IS NOT NULL AND snapshot_id IS NULL
       ORDER BY id DESC LIMIT ${maxAnalyses})`,
    [projectId, commitSha, snapshotId],
  )
}

interface Ranking {
  symbols: CodeFile['symbols']
  churn: CodeFile['churn']
}

/** Finds the candidates of a file in an analysis. Returns undefined if the analysis does not have the file. */
export async function findRanking(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<RecentAnalysis, 'id'>,
  path: string,
): Promise<Ranking | undefined> {
  const rows = await db.query<{ candidate: TestCandidate; rank: number; commits: number | null }[]>(
    `WITH analysis AS MATERIALIZED (
       SELECT result -> 'testCandidates' AS candidates, (result -> 'summary' ->> 'historyCommits')::int AS commits
         FROM analyses WHERE id = $1)
     SELECT candidate, rank::int AS rank, commits
       FROM analysis, jsonb_array_elements(candidates) WITH ORDINALITY AS listed (candidate, rank)
      WHERE candidate ->> 'path' = $2 ORDER BY rank LIMIT ${maxSymbols}`,
    [id, path],
  )
  const symbols = rows.map(({ candidate, rank }) => ({
    name: candidate.symbol,
    kind: candidate.kind,
    startLine: candidate.startLine,
    endLine: candidate.endLine,
    complexity: candidate.complexity,
    rank,
    score: candidate.score,
    reasons: candidate.reasons,
    coverage: candidate.coverage ?? null,
    coverageSource: candidate.coverageSource ?? null,
    cases: candidate.cases ?? [],
  }))
  const [first] = rows
  const changes = first?.candidate.churn ?? null
  const commits = first?.commits ?? null
  return {
    symbols: symbols.toSorted((a, b) => a.startLine - b.startLine || a.endLine - b.endLine),
    churn: changes === null || commits === null ? null : { changes, commits },
  }
}
