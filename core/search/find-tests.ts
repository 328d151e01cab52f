import type { Context } from '../base/context.ts'
import { type Match, containsAny, rankOf, ranks } from './match.ts'
import type { SearchedProject } from './searched-projects.ts'

interface Row {
  project_id: string
  test_id: string
  suite: string
  name: string
  file: string | null
  rank: number
}

const isTestId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** A search of all projects looks at so many tests of each of the projects that ran last, and at more if these have less. */
const sharing = 10

/** Finds tests of the latest run of each project. */
export async function findTests(
  { db }: Pick<Context, 'db'>,
  projects: readonly SearchedProject[],
  query: string,
  { limit, budget }: { limit: number; budget: number },
): Promise<{ matches: Match[]; isComplete: boolean }> {
  const withRuns = projects.flatMap(({ run, ...project }) => (run ? [{ ...project, run }] : []))
  const { looked, isComplete } = withinBudget(withRuns, budget)
  const byId = isTestId.test(query)
  const rows = byId
    ? await db.query<Row[]>(
        `SELECT run.project_id, t.*, ${ranks.id} AS rank
           FROM unnest($1::text[], $2::text[]) AS run (id, project_id)
          CROSS JOIN LATERAL (
            SELECT test_id, suite, name, file FROM test_results WHERE test_id = $3 AND run_id = run.id LIMIT 1) AS t
          LIMIT $4`,
        [withRuns.map(({ run }) => run.id), withRuns.map(({ id }) => id), query, limit],
      )
    : await db.query<Row[]>(
        `WITH looked AS (
           SELECT run.project_id, t.*, lower(suite || ' > ' || name) AS full_name
             FROM unnest($1::text[], $2::text[], $3::int[]) AS run (id, project_id, tests)
            CROSS JOIN LATERAL (
              SELECT test_id, suite, name, file FROM test_results
               WHERE run_id = run.id ORDER BY position LIMIT run.tests) AS t
           -- Otherwise Postgres changes the case again for each use.
           OFFSET 0)
         SELECT project_id, test_id, suite, name, file, ${rankOf(['own_name', 'full_name'], '$4')} AS rank
           FROM looked CROSS JOIN LATERAL (SELECT lower(name) AS own_name OFFSET 0) AS named
          WHERE ${containsAny(['full_name'], '$4')}
          ORDER BY rank, length(name), suite, name, test_id LIMIT $5`,
        [
          looked.map(({ run }) => run.id),
          looked.map(({ id }) => id),
          looked.map(({ tests }) => tests),
          query,
          // A test can have several results in a run.
          2 * limit,
        ],
      )
  const byProject = new Map(withRuns.map((project) => [project.id, project]))
  const unique = new Map(rows.map((row) => [JSON.stringify([row.project_id, row.test_id]), row]))
  const matches = [...unique.values()].slice(0, limit).map((row): Match => ({
    kind: 'test',
    title: row.name,
    detail: [row.suite, row.file].filter((text) => text !== null && text !== '').join(' in '),
    projectId: row.project_id,
    projectName: byProject.get(row.project_id)?.name ?? '',
    id: row.test_id,
    at: byProject.get(row.project_id)?.run.createdAt.toISOString() ?? null,
    rank: row.rank,
  }))
  return { matches, isComplete: byId || isComplete }
}

/** Chooses how many tests of each project a search looks at. */
function withinBudget<Project extends { run: { tests: number } }>(projects: readonly Project[], budget: number) {
  let left = budget
  const looked = projects.map((project, index) => {
    const sharers = Math.max(1, Math.min(sharing, projects.length) - index)
    const tests = Math.min(project.run.tests, Math.floor(left / sharers))
    left -= tests
    return { ...project, tests }
  })
  return {
    looked: looked.filter(({ tests }) => tests > 0),
    isComplete: looked.every(({ run, tests }) => tests === run.tests),
  }
}
