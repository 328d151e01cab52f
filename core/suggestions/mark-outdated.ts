import { storable } from '../base/repository-path.ts'
import type { Context } from '../base/context.ts'
import type { AnalysisResult, TestCase } from '../../engines/analysis/schema.ts'

const maxTextLength = 1_024

/**
 * Marks the open suggestions whose code or whose cases the latest analysis no longer has: tests run them now, or the code
 * changed. If the analysis lists only the best candidates, code that it does not list stays open.
 */
export async function markOutdated(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  { testCandidates = [], summary }: Pick<AnalysisResult, 'testCandidates' | 'summary'>,
): Promise<void> {
  const isComplete = summary.candidateCount !== undefined && summary.candidateCount <= testCandidates.length
  const candidates = testCandidates.map(({ path, symbol, cases, moreCases, brief }) => ({
    path: storable(path, maxTextLength),
    symbol: storable(symbol, maxTextLength),
    // Null if its open cases are not known, or not all of them.
    open: (cases ?? brief) && !moreCases ? openIds(cases) : null,
  }))
  await db.query(
    `WITH candidates AS (
       SELECT * FROM jsonb_to_recordset($2::jsonb) AS c(path text, symbol text, open jsonb))
     UPDATE suggestions AS s SET status = 'outdated'
      WHERE project_id = $1 AND status = 'open' AND target IS NOT NULL
        AND NOT EXISTS (SELECT FROM candidates AS c
                         WHERE c.path = s.file_path AND c.symbol = s.target ->> 'symbol'
                           AND (c.open IS NULL OR s.case_ids IS NULL
                                OR c.open ?| ARRAY(SELECT jsonb_array_elements_text(s.case_ids))))
        AND ($3 OR EXISTS (SELECT FROM candidates AS c WHERE c.path = s.file_path AND c.symbol = s.target ->> 'symbol'))`,
    [projectId, JSON.stringify(candidates), isComplete],
  )
}

const openIds = (cases: readonly TestCase[] = []) =>
  cases.filter(({ covered }) => covered !== true).map(({ id }) => storable(id, maxTextLength))
