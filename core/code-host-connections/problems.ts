import type { EntityManager } from 'typeorm'

/** Stores why Assay could not use the connection of a project, if the project has one. */
export async function noteProblem(db: EntityManager, projectId: string, problem: string, now: Date): Promise<void> {
  await db.query('UPDATE code_host_connections SET last_problem = $2, last_problem_at = $3 WHERE project_id = $1', [
    projectId,
    problem,
    now,
  ])
}
