import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextOfSystem } from '../base/context.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { rollUpDays } from './days/roll-up.ts'
import { createHealthScene, createTestFor, failing, type Outcome } from './testing.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp()))
afterAll(() => app[Symbol.asyncDispose]())

test('a test with thousands of variants lists the first ones and says how many there are', async () => {
  const { client, project } = await createHealthScene(app)
  const testId = await createTestFor(app, project.id)
  await app.dataSource.query(
    `INSERT INTO tests (project_id, test_id, variant, suite, name, health, rule, counts, first_seen_at, last_seen_at, changed_at)
     SELECT project_id, test_id, 'shard ' || lpad(number::text, 5, '0'), suite, name,
            CASE WHEN number = 11000 THEN 'broken' ELSE 'healthy' END, rule, counts, now(), now(), now()
       FROM tests, generate_series(1, 11000) AS number WHERE project_id = $1`,
    [project.id],
  )
  const get = (variant?: string) => client.tests.get.query({ projectId: project.id, testId, variant })
  const worst = await get()
  expect(worst).toMatchObject({ variant: 'shard 11000', health: 'broken', variantCount: 11_001 })
  expect(worst.variants).toHaveLength(100)
  expect(worst.variants).toContain('shard 11000')
  expect(await get('shard 10500')).toMatchObject({ variant: 'shard 10500', health: 'healthy' })
  await expect(get('none')).rejects.toThrow(/^.{0,900} and 10991 others\./)
})

const rollUp = () => {
  const signal = new AbortController().signal
  return rollUpDays(contextOfSystem(app.services, app.dataSource.manager, { requestId: 'test', signal }))
}

test('a run that was an outage counts neither among the errors nor in the days of a test', async () => {
  const { upload, judged, get, client, project } = await createHealthScene(app)
  const all = (outcome: Outcome) => Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, outcome]))
  const yesterday = ((Date.now() % 86_400_000) + 43_200_000) / 3_600_000
  await upload({ tests: all('passed'), hoursAgo: yesterday + 2 })
  await upload({ tests: all(failing('connection refused')), hoursAgo: yesterday + 1 })
  await upload({ tests: { ...all('passed'), t0: failing('expected 3 to be 2') }, hoursAgo: yesterday })
  await judged()
  await rollUp()
  expect(await get('t0')).toMatchObject({
    failures: 1,
    strip: [
      { status: 'failed', outage: null },
      { status: 'failed', outage: 'mass' },
      { status: 'passed', outage: null },
    ],
    errors: [{ message: 'expected 3 to be 2', results: 1 }],
    days: [{ runs: 2, failures: 1 }],
  })
  expect(await get('t1')).toMatchObject({ failures: 0, errors: [], days: [{ runs: 2, failures: 0 }] })

  // By other rules, the run counts.
  await client.tests.updatePolicy.mutate({ projectId: project.id, health: { massTests: 100, incidentTests: 100 } })
  await expect.poll(async () => (await get('t1')).failures, { timeout: 10_000 }).toBe(1)
  await rollUp()
  expect(await get('t1')).toMatchObject({ errors: [{ results: 1 }], days: [{ runs: 3, failures: 1 }] })
})
