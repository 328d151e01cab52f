import type { Context } from '../base/context.ts'
import { type Match, containsAny, rankOf, ranks, rankText } from './match.ts'
import type { SearchedProject } from './searched-projects.ts'

type Projects = readonly SearchedProject[]

const nameIn = (projects: Projects) => {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (projectId: string) => names.get(projectId) ?? ''
}

const byRank = (a: Match, b: Match) => a.rank - b.rank || a.title.length - b.title.length

export function findProjects(projects: Projects, query: string, limit: number): Match[] {
  const matches = projects.flatMap(({ id, name, repository, createdAt }): Match[] => {
    const parts = [rankText(name, query), rankText(repository, query) === undefined ? undefined : ranks.part]
    const rank = id === query.toUpperCase() ? ranks.id : Math.min(...parts.map((part) => part ?? Infinity))
    if (rank === Infinity) return []
    const at = createdAt.toISOString()
    return [{ kind: 'project', title: name, detail: repository, projectId: id, projectName: name, id, at, rank }]
  })
  return matches.toSorted(byRank).slice(0, limit)
}

interface RunRow {
  id: string
  project_id: string
  name: string | null
  branch: string | null
  pull_request: number | null
  commit_sha: string | null
  status: string
  failed_tests: number
  created_at: Date
  rank: number
}

/** A search looks at so many runs of each of so many projects. */
const runsPerProject = 20
const runProjects = 50

/** Finds a run by its id, or runs by their branch, their name or the number of their pull request (`#412`). */
export async function findRuns({ db }: Pick<Context, 'db'>, projects: Projects, query: string, limit: number) {
  const named = [`lower(coalesce(name, ''))`, `lower(coalesce(branch, ''))`, `coalesce('#' || pull_request, '')`]
  const columns = 'id, project_id, name, branch, pull_request, commit_sha, status, failed_tests, created_at'
  const rows = await db.query<RunRow[]>(
    `(SELECT ${columns}, ${ranks.id} AS rank FROM test_runs WHERE id = upper($2::text) AND project_id = ANY ($1::text[]))
     UNION ALL
     (SELECT run.*, ${rankOf(named, '$2')} AS rank
        FROM unnest(($1::text[])[:${runProjects}]) AS p (id) CROSS JOIN LATERAL (
          SELECT ${columns} FROM test_runs WHERE project_id = p.id ORDER BY id DESC LIMIT ${runsPerProject}) AS run
       WHERE ${containsAny(named, '$2')} ORDER BY rank, run.id DESC LIMIT $3)`,
    [projects.map(({ id }) => id), query, limit],
  )
  const projectName = nameIn(projects)
  return rows.slice(0, limit).map((row): Match => {
    const outcome = row.status === 'COMPLETED' ? (row.failed_tests > 0 ? 'failed' : 'passed') : row.status.toLowerCase()
    const pullRequest = row.pull_request === null ? [] : [`#${row.pull_request}`]
    const commit = row.commit_sha === null ? [] : [row.commit_sha.slice(0, 12)]
    return {
      kind: 'run',
      title: row.name ?? row.branch ?? row.id,
      detail: [outcome, ...(row.branch === null ? [] : [`on ${row.branch}`]), ...pullRequest, ...commit].join(' '),
      projectId: row.project_id,
      projectName: projectName(row.project_id),
      id: row.id,
      at: row.created_at.toISOString(),
      rank: row.rank,
    }
  })
}

interface CommitRow {
  project_id: string
  commit_sha: string
  branch: string | null
  created_at: Date
}

const isCommitPrefix = /^[0-9a-f]{4,64}$/i

/**
 * Finds commits that were analyzed or tested by the beginning of their id.
 *
 * @param mayReadRuns - whether commits that were only tested count
 */
export async function findCommits(
  { db }: Pick<Context, 'db'>,
  projects: Projects,
  query: string,
  { limit, mayReadRuns }: { limit: number; mayReadRuns: boolean },
): Promise<Match[]> {
  if (!isCommitPrefix.test(query)) return []
  const start = query.toLowerCase()
  // Ids consist of hexadecimal digits, which come before `g`.
  const found = (table: string) =>
    `SELECT project_id, commit_sha, branch, created_at
       FROM unnest($1::text[]) AS p (id) CROSS JOIN LATERAL (
         SELECT project_id, commit_sha, branch, created_at FROM ${table}
          WHERE project_id = p.id AND commit_sha ~>=~ $2 AND commit_sha ~<~ ($2 || 'g') AND snapshot_id IS NULL
          ORDER BY commit_sha USING ~<~ LIMIT 50) AS found`
  const tables = ['analyses', ...(mayReadRuns ? ['test_runs'] : [])]
  const rows = await db.query<CommitRow[]>(
    `SELECT DISTINCT ON (project_id, commit_sha) * FROM (${tables.map(found).join(' UNION ALL ')}) AS found
      ORDER BY project_id, commit_sha, created_at DESC LIMIT 1000`,
    [projects.map(({ id }) => id), start],
  )
  const projectName = nameIn(projects)
  return rows
    .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())
    .slice(0, limit)
    .map((row) => ({
      kind: 'commit',
      title: row.commit_sha.slice(0, 12),
      detail: row.branch === null ? row.commit_sha : `on ${row.branch}`,
      projectId: row.project_id,
      projectName: projectName(row.project_id),
      id: row.commit_sha,
      at: row.created_at.toISOString(),
      rank: ranks.id,
    }))
}

interface SuggestionRow {
  id: string
  project_id: string
  description: string
  file_path: string
  created_at: Date
  rank: number
}

/** A search looks at so many suggestions of each of so many projects. */
const suggestionsPerProject = 50
const suggestedProjects = 50

/** Finds suggestions by their id, or by a part of their description or of the path of their file. */
export async function findSuggestions({ db }: Pick<Context, 'db'>, projects: Projects, query: string, limit: number) {
  const texts = ['lower(description)', 'lower(file_path)']
  const columns = 'id, project_id, description, file_path, created_at'
  const rows = await db.query<SuggestionRow[]>(
    `(SELECT ${columns}, ${ranks.id} AS rank FROM suggestions WHERE id = upper($2::text) AND project_id = ANY ($1::text[]))
     UNION ALL
     (SELECT suggestion.*, ${rankOf(texts, '$2')} AS rank
        FROM unnest(($1::text[])[:${suggestedProjects}]) AS p (id) CROSS JOIN LATERAL (
          SELECT ${columns} FROM suggestions WHERE project_id = p.id AND status = 'open'
           ORDER BY id DESC LIMIT ${suggestionsPerProject}) AS suggestion
       WHERE ${containsAny(texts, '$2')} ORDER BY rank, suggestion.id DESC LIMIT $3)`,
    [projects.map(({ id }) => id), query, limit],
  )
  const projectName = nameIn(projects)
  return rows.slice(0, limit).map((row): Match => ({
    kind: 'suggestion',
    title: row.description,
    detail: row.file_path,
    projectId: row.project_id,
    projectName: projectName(row.project_id),
    id: row.id,
    at: row.created_at.toISOString(),
    rank: row.rank,
  }))
}
