import type { Context } from '../base/context.ts'
import { type Match, containsAny, rankOf } from './match.ts'
import type { SearchedProject } from './searched-projects.ts'

interface Row {
  project_id: string
  path: string
  rank: number
}

/** Finds files of the latest analysis of each project. */
export async function findFiles(
  { db }: Pick<Context, 'db'>,
  projects: readonly SearchedProject[],
  query: string,
  { limit, budget }: { limit: number; budget: number },
): Promise<{ matches: Match[]; isComplete: boolean }> {
  const analyzed = projects.flatMap(({ analysis, id, name }) => (analysis ? [{ id, name, analysis }] : []))
  let left = budget
  const looked = analyzed.filter(({ analysis }) => (left -= analysis.files) >= 0)
  const rows = await db.query<Row[]>(
    `WITH files AS (
       SELECT project_id, path, lower(path) AS lower_path
         FROM analyses CROSS JOIN LATERAL jsonb_array_elements(result -> 'files') AS file
        CROSS JOIN LATERAL (SELECT file ->> 'path' AS path OFFSET 0) AS named
        WHERE id = ANY ($1::text[])
       OFFSET 0)
     SELECT project_id, path, ${rankOf(['lower_path', 'file_name'], '$2')} AS rank
       FROM files CROSS JOIN LATERAL (SELECT split_part(lower_path, '/', -1) AS file_name OFFSET 0) AS named
      WHERE ${containsAny(['lower_path'], '$2')}
      ORDER BY rank, length(path), path, project_id LIMIT $3`,
    [looked.map(({ analysis }) => analysis.id), query, limit],
  )
  const names = new Map(analyzed.map(({ id, name }) => [id, name]))
  const matches = rows.map((row): Match => ({
    kind: 'file',
    title: row.path.slice(row.path.lastIndexOf('/') + 1),
    detail: row.path,
    projectId: row.project_id,
    projectName: names.get(row.project_id) ?? '',
    id: row.path,
    at: null,
    rank: row.rank,
  }))
  return { matches, isComplete: looked.length === analyzed.length }
}
