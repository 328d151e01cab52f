import type { TestCandidate } from '../../engines/analysis/schema.ts'
import type { Context } from '../base/context.ts'
import { containsText } from '../base/contains-text.ts'
import { latestAnalysis } from './get.ts'
import { presentAnalysis } from './present.ts'
import type { CandidatesPage, ListCandidates } from './schema.ts'

/** Lists the code that is most worth testing, as the latest completed analysis ranked it: at most 1,000 candidates. */
export async function listCandidates(ctx: Context, input: ListCandidates): Promise<CandidatesPage> {
  const { limit, offset, search, coverage } = input
  const analysis = await latestAnalysis(ctx, input)
  const [page] = await ctx.db.query<[{ total: number; candidates: CandidatesPage['candidates'] }]>(
    `WITH ranked AS (
       SELECT place, candidate
         FROM analyses, jsonb_array_elements(result->'testCandidates') WITH ORDINALITY AS entry (candidate, place)
        WHERE id = $1
          AND ($2::text IS NULL
            OR ${containsText("concat(candidate->>'path', ' ', candidate->>'symbol')", '$2')})
          AND CASE $3::text WHEN 'none' THEN coalesce((candidate->>'coverage')::float8, 0) = 0
                            WHEN 'partial' THEN (candidate->>'coverage')::float8 BETWEEN 0.0001 AND 0.9999
                            ELSE true END)
     SELECT (SELECT count(*)::int FROM ranked) AS total,
            coalesce(jsonb_agg(candidate || jsonb_build_object('rank', place) ORDER BY place), '[]') AS candidates
       FROM (SELECT * FROM ranked ORDER BY place LIMIT $4 OFFSET $5) AS page`,
    [analysis.id, search ?? null, coverage ?? null, limit, offset],
  )
  return {
    analysis: presentAnalysis(ctx, analysis),
    candidates: page.candidates satisfies (TestCandidate & { rank: number })[],
    pagination: { total: page.total, limit, offset },
  }
}
