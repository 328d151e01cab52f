import { expect } from 'vitest'
import type { TestApp } from '../../core/testing/app.ts'

/** Waits until the health of the tests follows from all results of the project. */
export async function untilJudged(app: TestApp, projectId: string): Promise<void> {
  const pending = () =>
    app.dataSource.query<unknown[]>('SELECT FROM test_runs WHERE project_id = $1 AND health_pending', [projectId])
  await expect.poll(pending, { timeout: 30_000 }).toEqual([])
}
