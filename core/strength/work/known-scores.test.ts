import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../base/ids.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createProjectFor } from '../../testing/factories.ts'
import { knownScores } from './known-scores.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp({ role: 'web' })
})
afterAll(() => app[Symbol.asyncDispose]())

test('the analysis of a snapshot counts for the snapshot only', async () => {
  const { id: projectId } = await createProjectFor(app)
  const analysis = (minute: number, symbol: string, snapshotId: string | null) => {
    const now = new Date(Date.UTC(2030, 0, 1, 0, minute))
    const result = JSON.stringify({ testCandidates: [{ path: 'a.js', symbol, score: 0.5 }] })
    return app.dataSource.query(
      `INSERT INTO analyses (id, project_id, status, snapshot_id, result, created_at)
       VALUES ($1, $2, 'completed', $3, $4, $5)`,
      [newId(now), projectId, snapshotId, result, now],
    )
  }
  await analysis(1, 'older', null)
  await analysis(2, 'mine', 'one')
  await analysis(3, 'committed', null)
  await analysis(4, 'theirs', 'two')
  const symbols = async (snapshotId: string | null) =>
    (await knownScores({ db: app.dataSource.manager }, projectId, snapshotId)).map(({ symbol }) => symbol)
  expect([await symbols(null), await symbols('one'), await symbols('three')]).toEqual([
    ['committed'],
    ['mine'],
    ['committed'],
  ])
})
