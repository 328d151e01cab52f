import type { Context } from '../../base/context.ts'

export interface KnownScore {
  path: string
  symbol: string
  score: number
}

const maxScores = 5_000

/**
 * Loads the scores of the ranking in the latest analysis of a snapshot, or else of the repository. Never starts an analysis.
 */
export async function knownScores(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  snapshotId: string | null,
): Promise<KnownScore[]> {
  return db.query<KnownScore[]>(
    `SELECT c.path, c.symbol, c.score
       FROM (SELECT result FROM analyses
              WHERE project_id = $1 AND status = 'completed' AND (snapshot_id IS NULL OR snapshot_id = $2::text)
              ORDER BY snapshot_id IS NULL, id DESC LIMIT 1) AS latest,
            jsonb_to_recordset(coalesce(latest.result -> 'testCandidates', '[]'))
              AS c(path text, symbol text, score float8)
      WHERE c.path IS NOT NULL AND c.symbol IS NOT NULL AND c.score IS NOT NULL
      ORDER BY c.score DESC LIMIT ${maxScores}`,
    [projectId, snapshotId],
  )
}
