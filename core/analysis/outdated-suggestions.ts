import type { Context } from '../base/context.ts'

/**
 * Brings the status of suggestions in line with the latest analysis. An open one is outdated if its code or its cases are
 * gone: tests run them now, or the code changed. An outdated one is open again if the analysis supports it, and an
 * accepted one if the accepted test leaves cases: tests of a later commit were measured, and still do not run them. If the
 * analysis lists only the best candidates, suggestions for other code keep their status. The caller locks the project,
 * because calls for the same project would deadlock.
 */
export async function markOutdatedSuggestions({ db }: Pick<Context, 'db'>, projectId: string): Promise<void> {
  await db.query(
    `WITH latest AS (
       SELECT coalesce(result -> 'testCandidates', '[]') AS listed, (result -> 'summary' ->> 'candidateCount')::int AS total,
              commit_sha, coverage -> 'behind' = '0' AS is_measured
         FROM analyses WHERE project_id = $1 AND status = 'completed' AND snapshot_id IS NULL ORDER BY id DESC LIMIT 1),
     candidates AS MATERIALIZED (
       -- The open cases are null if they are not known, or not all of them.
       SELECT c.path, c.symbol, CASE WHEN coalesce(c.cases, c.brief) IS NOT NULL AND coalesce(c."moreCases", 0) = 0 THEN
                ARRAY(SELECT one ->> 'id' FROM jsonb_array_elements(coalesce(c.cases, '[]')) AS one
                       WHERE one -> 'covered' IS DISTINCT FROM 'true') END AS open,
              ARRAY(SELECT one ->> 'id' FROM jsonb_array_elements(coalesce(c.cases, '[]')) AS one
                     WHERE one -> 'covered' = 'false') AS uncovered
         FROM latest, jsonb_to_recordset(latest.listed)
           AS c(path text, symbol text, cases jsonb, brief jsonb, "moreCases" int)),
     judged AS (
       SELECT s.id, count(c.path) > 0 AS is_listed,
              CASE s.status WHEN 'accepted' THEN
                coalesce(bool_or(jsonb_path_query_array(coalesce(s.cases, '[]'), '$[*].id') ?| c.uncovered), false)
              ELSE
                coalesce(bool_or(c.path IS NOT NULL AND (c.open IS NULL OR s.case_ids IS NULL OR s.case_ids ?| c.open)),
                         false) END AS is_supported
         FROM suggestions AS s
         LEFT JOIN candidates AS c ON c.path = s.file_path AND c.symbol = s.target ->> 'symbol'
        WHERE s.project_id = $1 AND s.target IS NOT NULL
          AND (s.status IN ('open', 'outdated')
               OR s.status = 'accepted' AND EXISTS (SELECT FROM latest, verifications AS v
                    WHERE v.id = s.verification_id AND latest.is_measured AND v.commit_sha <> latest.commit_sha))
        GROUP BY s.id)
     UPDATE suggestions AS s SET status = CASE WHEN is_supported THEN 'open' ELSE 'outdated' END
       FROM judged, latest
      WHERE s.id = judged.id
        AND CASE s.status WHEN 'open' THEN
              NOT is_supported AND (is_listed OR coalesce(total <= jsonb_array_length(listed), false))
            ELSE is_supported END`,
    [projectId],
  )
}
