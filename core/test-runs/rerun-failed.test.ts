import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

async function setUp(failures: number, { files = true, ...fields }: Partial<TestRunRow> & { files?: boolean } = {}) {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const run = await createRunFor(app, {
    projectId,
    status: 'COMPLETED',
    commitSha: 'c'.repeat(40),
    failedTests: failures,
    totalTests: failures + 1,
    ...fields,
  })
  await app.dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, flaky)
     SELECT $1, n, gen_random_uuid(), 'cart', 'test ' || n, CASE WHEN $3 THEN 'src/' || n % 4 || '.test.ts' END,
            CASE WHEN n < $2 THEN 'failed' ELSE 'passed' END, false
       FROM generate_series(0, $2::int) n`,
    [run.id, failures, files],
  )
  const rerun = (as = token) => app.client(as).testRuns.rerunFailed.mutate({ runId: run.id })
  return { run, projectId, rerun, token }
}

test('reruns failed tests on the same commit with the same trust', async () => {
  const { run, projectId, rerun } = await setUp(2, {
    branch: 'feature',
    pullRequest: 7,
    withSecrets: false,
    type: 'UNIT',
  })
  const again = await rerun()
  expect(again).toMatchObject({
    projectId,
    source: 'rerun',
    rerunOf: run.id,
    status: 'PENDING',
    type: 'UNIT',
    branch: 'feature',
    commitSha: run.commitSha,
    pullRequest: 7,
    queue: { position: expect.any(Number) },
  })
  expect(again.selection?.paths).toEqual([])
  expect(again.selection?.tests.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { suite: 'cart', name: 'test 0', file: 'src/0.test.ts' },
    { suite: 'cart', name: 'test 1', file: 'src/1.test.ts' },
  ])
  const row = await app.dataSource.getRepository(TestRunEntity).findOneByOrFail({ id: again.id })
  expect(row.withSecrets).toBe(false)
})

test('creates one rerun for ten concurrent calls, and another one only after its end', async () => {
  const { rerun } = await setUp(1)
  const runs = await Promise.all(Array.from({ length: 10 }, () => rerun()))
  const [first] = runs
  expect(new Set(runs.map(({ id }) => id)).size).toBe(1)
  await app.dataSource.getRepository(TestRunEntity).update({ id: first?.id ?? '' }, { status: 'CANCELLED' })
  expect((await rerun()).id).not.toBe(first?.id)
})

test('reruns files instead of very many tests, and everything if the files are unknown', async () => {
  const many = await setUp(501)
  const { selection } = await many.rerun()
  expect(selection?.tests).toEqual([])
  expect(selection?.paths.toSorted()).toEqual(['src/0.test.ts', 'src/1.test.ts', 'src/2.test.ts', 'src/3.test.ts'])
  const unknown = await setUp(501, { files: false })
  expect((await unknown.rerun()).selection).toBeNull()
})

test('explains why there is nothing to rerun', async () => {
  const conflict = (message: RegExp) => ({ data: { code: 'CONFLICT' }, message: expect.stringMatching(message) })
  for (const [fields, message] of [
    [{ status: 'RUNNING' }, /has not ended/],
    [{ status: 'PENDING' }, /has not ended/],
    [{ status: 'FAILED' }, /without results/],
    [{ status: 'CANCELLED' }, /without results/],
    [{ failedTests: 0 }, /^No test failed/],
  ] as const) {
    const { rerun } = await setUp(0, fields)
    await expect(rerun()).rejects.toMatchObject(conflict(message))
  }
})

test('lets only members of the project rerun tests', async () => {
  const { rerun } = await setUp(1)
  await expect(rerun(await createTokenFor(app))).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  const owner = await createUser(app)
  const { id: organizationId } = await createOrganizationFor(app, { user: owner })
  const { id: projectId } = await createProjectFor(app, { user: owner, organizationId })
  const shared = await setUp(1, { projectId })
  const viewer = await createUser(app)
  await createMembershipFor(app, { organizationId, user: viewer, role: 'viewer' })
  const asViewer = shared.rerun(await createTokenFor(app, { user: viewer }))
  await expect(asViewer).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
})
