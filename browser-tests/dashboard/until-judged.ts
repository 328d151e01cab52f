import { expect } from 'vitest'
import { projectsToJudge } from '../../core/test-runs/request-health.ts'
import type { TestApp } from '../../core/testing/app.ts'

/** Waits until the health of the tests follows from all results of the project. */
export async function untilJudged(app: TestApp, projectId: string): Promise<void> {
  const pending = () =>
    app.dataSource.query<unknown[]>(`SELECT FROM (${projectsToJudge}) AS waiting WHERE project_id = $1 LIMIT 1`, [
      projectId,
    ])
  await expect.poll(pending, { timeout: 30_000 }).toEqual([])
}
