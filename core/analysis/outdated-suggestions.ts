import type { Context } from '../base/context.ts'

/**
 * Marks the open suggestions whose code or whose cases the latest analysis no longer has: tests run them now, or the code
 * changed. Opens outdated suggestions again that it supports. If the analysis lists only the best candidates, suggestions
 * for other code keep their status. The caller locks the project, because calls for the same project would deadlock.
 */
export async function markOutdatedSuggestions({ db }: Pick<Context, 'db'>, projectId: string): Promise<void> {
  await db.query(
    `WITH latest AS (
       SELECT coalesce(result -> 'testCandidates', '[]') AS listed, (result -> 'summary' ->> 'candidateCount')::int AS total
         FROM analyses WHERE project_id = $1 AND status = 'completed' ORDER BY id DESC LIMIT 1),
     candidates AS MATERIALIZED (
       -- The open cases are null if they are not known, or not all of them.
       SELECT c.path, c.symbol, CASE WHEN coalesce(c.cases, c.brief) IS NOT NULL AND coalesce(c."moreCases", 0) = 0 THEN
                ARRAY(SELECT one ->> 'id' FROM jsonb_array_elements(coalesce(c.cases, '[]')) AS one
                       WHERE one -> 'covered' IS DISTINCT FROM 'true') END AS open
         FROM latest, jsonb_to_recordset(latest.listed)
           AS c(path text, symbol text, cases jsonb, brief jsonb, "moreCases" int)),
     judged AS (
       SELECT s.id, count(c.path) > 0 AS is_listed,
              coalesce(bool_or(c.path IS NOT NULL AND (c.open IS NULL OR s.case_ids IS NULL OR s.case_ids ?| c.open)),
                       false) AS is_supported
         FROM suggestions AS s
         LEFT JOIN candidates AS c ON c.path = s.file_path AND c.symbol = s.target ->> 'symbol'
        WHERE s.project_id = $1 AND s.status IN ('open', 'outdated') AND s.target IS NOT NULL
        GROUP BY s.id)
     UPDATE suggestions AS s SET status = CASE WHEN is_supported THEN 'open' ELSE 'outdated' END
       FROM judged, latest
      WHERE s.id = judged.id
        AND CASE s.status WHEN 'outdated' THEN is_supported
            ELSE NOT is_supported AND (is_listed OR coalesce(total <= jsonb_array_length(listed), false)) END`,
    [projectId],
  )
}
