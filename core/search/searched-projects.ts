import type { Context } from '../base/context.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { getOwnProject, ownProjects } from '../projects/get.ts'
import type { Find } from './schema.ts'

/** A project that the caller may see, with the records of it that a search looks at. */
export interface SearchedProject {
  id: string
  name: string
  repository: string
  createdAt: Date
  /** The latest complete run of a commit. */
  run: { id: string; tests: number; createdAt: Date } | null
  /** The latest completed analysis of a commit. */
  analysis: { id: string; files: number } | null
}

const maxProjects = 1_000

interface LatestRow {
  id: string
  run_id: string | null
  tests: number | null
  run_at: Date | null
  analysis_id: string | null
  files: number | null
}

/**
 * Lists the projects that a search of the caller looks at, those with the latest run first.
 *
 * @throws AppError 404 for a `projectId` that the caller may not see
 */
export async function searchedProjects(
  ctx: Context,
  { projectId, organizationId }: Pick<Find, 'projectId' | 'organizationId'>,
): Promise<{ projects: SearchedProject[]; areAll: boolean }> {
  const projects = await visibleProjects(ctx, projectId, organizationId)
  const rows = await ctx.db.query<LatestRow[]>(
    `SELECT p.id, run.id AS run_id, run.total_tests AS tests, run.created_at AS run_at, analysis.id AS analysis_id,
            analysis.files_analyzed AS files
       FROM unnest($1::text[]) AS p (id)
       LEFT JOIN LATERAL (
         SELECT id, total_tests, created_at FROM test_runs
          WHERE project_id = p.id AND status = 'COMPLETED' AND snapshot_id IS NULL AND selection IS NULL
          ORDER BY id DESC LIMIT 1) AS run ON true
       LEFT JOIN LATERAL (
         SELECT id, files_analyzed FROM analyses
          WHERE project_id = p.id AND status = 'completed' AND snapshot_id IS NULL
          ORDER BY id DESC LIMIT 1) AS analysis ON true`,
    [projects.slice(0, maxProjects).map(({ id }) => id)],
  )
  const latest = new Map(rows.map((row) => [row.id, row]))
  const searched = projects.slice(0, maxProjects).map(({ id, name, repository, createdAt }): SearchedProject => {
    const { run_id, tests, run_at, analysis_id, files } = latest.get(id) ?? {}
    return {
      id,
      name,
      repository,
      createdAt,
      run: run_id && run_at ? { id: run_id, tests: tests ?? 0, createdAt: run_at } : null,
      analysis: analysis_id ? { id: analysis_id, files: files ?? 0 } : null,
    }
  })
  // Ids grow with time.
  const age = ({ run, id }: SearchedProject) => run?.id ?? id
  return {
    projects: searched.toSorted((a, b) => (age(a) < age(b) ? 1 : -1)),
    areAll: projects.length <= maxProjects,
  }
}

async function visibleProjects(ctx: Context, projectId: string | undefined, organizationId: string | undefined) {
  if (projectId === undefined) {
    const where = ownProjects(ctx, organizationId)
    return ctx.db.getRepository(ProjectEntity).find({ where, order: { id: 'DESC' }, take: maxProjects + 1 })
  }
  const project = await getOwnProject(ctx, projectId, 'viewer')
  return organizationId === undefined || project.organizationId === organizationId ? [project] : []
}
