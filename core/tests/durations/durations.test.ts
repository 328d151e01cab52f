import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../../base/context.ts'
import { ProjectEntity } from '../../projects/entity.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import { createRunFor } from '../../testing/factories.ts'
import { createHealthScene, failing, type UploadedTests } from '../testing.ts'
import { durationsQueue } from './job.ts'
import { updateDurations } from './update.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

const context = () => {
  const signal = new AbortController().signal
  return contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal })
}
const update = async (id: string) =>
  updateDurations(context(), await app.dataSource.getRepository(ProjectEntity).findOneByOrFail({ id }))

/** The test takes twice as long since the last ten runs. */
const uploads = Array.from({ length: 25 }, (_, index): UploadedTests => ({
  tests: { adds: 'passed', fails: index === 20 ? failing() : 'passed', other: 'passed' },
  commit: String(index),
  hoursAgo: 100 - index,
  seconds: (index < 12 ? 1 : 2) + index / 1_000,
}))

test('durations are those of the latest results, whatever the order of uploads', async () => {
  const durationsAfter = async (given: readonly UploadedTests[]) => {
    const scene = await createHealthScene(app)
    for (const each of given) await scene.upload(each)
    await scene.judged()
    expect(await update(scene.project.id)).toBe(false)
    return (await scene.tests()).map(({ name, p50Ms, p95Ms }) => [name, p50Ms, p95Ms]).toSorted()
  }
  // 13 of 25 results are slow.
  const expected = ['adds', 'fails', 'other'].map((name) => [name, 2_012, 2_023])
  expect(await durationsAfter(uploads)).toEqual(expected)
  expect(await durationsAfter(uploads.toReversed())).toEqual(expected)
})

test('a test that the latest runs do not contain keeps the durations of its own', async () => {
  const { upload, judged, project, get } = await createHealthScene(app)
  for (let run = 0; run < 12; run++) {
    await upload({ tests: { rare: 'passed' }, hoursAgo: 200 - run, seconds: run < 11 ? 3 : 9 })
  }
  // More runs than one look reads.
  const run = { projectId: project.id, status: 'COMPLETED' as const, totalTests: 1, passedTests: 1 }
  await Promise.all(Array.from({ length: 120 }, () => createRunFor(app, run)))
  await judged()
  await update(project.id)
  expect(await get('rare')).toMatchObject({ p50Ms: 3_000, p95Ms: 9_000 })
})

test('a run requests the durations of its project, once for many runs', async () => {
  const { upload, judged, project } = await createHealthScene(app)
  for (let run = 0; run < 3; run++) {
    await upload({ tests: { adds: 'passed' }, hoursAgo: run })
    await judged()
  }
  const jobs = await app.dataSource.query<{ waits: boolean }[]>(
    `SELECT start_after > now() AS waits FROM pgboss.job WHERE name = $1 AND data ->> 'projectId' = $2`,
    [durationsQueue, project.id],
  )
  // Two if the runs were close to the end of such a time.
  expect([1, 2]).toContain(jobs.length)
  expect(jobs.every(({ waits }) => waits)).toBe(true)
})
