import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { contextFor } from '../testing/context.ts'
import { isEnforced } from './enforced.ts'

type Outcome = 'passed' | 'failed'

const opened = new AsyncDisposableStack()
let app: TestApp
let token: string
let client: ReturnType<TestApp['client']>
let repository: GitRepository
let projectId: string
beforeAll(async () => {
  app = opened.use(await createTestApp())
})
afterAll(() => opened.disposeAsync())

const importing = (path: string) => `import test from 'node:test'\nimport '${path}'\ntest('works', () => {})\n`
const files = {
  'README.md': 'A shop.\n',
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
  'src/cart.js': 'export const total = 1\n',
  'src/mail.js': 'export const send = 1\n',
  'test/cart.test.js': importing('../src/cart.js'),
  'test/mail.test.js': importing('../src/mail.js'),
  'test/smoke.test.js': "import test from 'node:test'\ntest('starts', () => {})\n",
}
beforeEach(async () => {
  repository = opened.use(await createGitRepository(files))
  const user = await createUser(app)
  token = await createTokenFor(app, { user })
  client = app.client(token)
  projectId = (await createProjectFor(app, { user, repository: repository.path })).id
})

/** Uploads a run of both test files. */
async function upload(
  commitSha: string,
  branch: string,
  { variant, ...outcomes }: { cart?: Outcome; mail?: Outcome; variant?: string } = {},
) {
  const cases = (['cart', 'mail'] as const).map((name) => {
    const inner = outcomes[name] === 'failed' ? '<failure message="expected 1 to be 2"/>' : ''
    return `<testcase classname="${name}" name="works" file="test/${name}.test.js" time="2">${inner}</testcase>`
  })
  const form = new FormData()
  form.set('commitSha', commitSha)
  form.set('branch', branch)
  if (variant !== undefined) form.set('variant', variant)
  form.append('reports', new Blob([`<testsuite name="all">${cases.join('')}</testsuite>`]), 'junit.xml')
  const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', body: form, token })
  expect(response.status).toBe(201)
  return ((await response.json()) as { runId: string }).runId
}

const head = () => repository.git('rev-parse', 'HEAD')
const shadows = async (count: number) => {
  await expect.poll(async () => (await client.selection.list.query({ projectId })).runs.length).toBe(count)
  return (await client.selection.list.query({ projectId })).runs
}

test('selects the tests that use what a branch changes, each with its reason, and says why others do not run', async () => {
  await repository.git('checkout', '-q', '-b', 'prices')
  const commit = await repository.commit({ 'src/cart.js': 'export const total = 2\n' })
  const selected = await client.testRuns.select.mutate({ projectId, head: 'prices' })
  expect(selected).toMatchObject({
    mode: 'impacted',
    whyAll: null,
    headSha: commit,
    tests: [{ file: 'test/cart.test.js', kind: 'imports', because: 'uses src/cart.js' }],
    counts: { all: 3, selected: 1, skipped: 2, cut: 0 },
    evidence: { runs: 0, recall: null, missing: expect.stringContaining('200 more runs') },
  })
  expect(selected.skipped).toContainEqual({
    file: 'test/mail.test.js',
    kind: 'unaffected',
    because: 'uses nothing that changed',
  })
  expect(await client.testRuns.select.mutate({ projectId, head: commit })).toMatchObject({ tests: selected.tests })
})

test('a manifest that changed, or a base that is the commit itself, gives an answer that can be trusted', async () => {
  await repository.commit({ 'src/mail.js': 'export const send = 2\n' })
  expect(await client.testRuns.select.mutate({ projectId })).toMatchObject({ tests: [{ file: 'test/mail.test.js' }] })
  await repository.commit({ 'package-lock.json': '{}\n' })
  expect(await client.testRuns.select.mutate({ projectId })).toMatchObject({
    mode: 'all',
    whyAll: expect.stringContaining('package-lock.json'),
    counts: { all: 3, selected: 3 },
  })
})

test('tests that always run are part of each selection', async () => {
  await client.selection.update.mutate({ projectId, policy: { alwaysRun: ['test/smoke*'] } })
  await repository.commit({ 'src/mail.js': 'export const send = 2\n' })
  const { tests } = await client.testRuns.select.mutate({ projectId })
  expect(tests.map(({ file, kind }) => [file, kind])).toEqual([
    ['test/mail.test.js', 'imports'],
    ['test/smoke.test.js', 'always_run'],
  ])
})

test('a test that runs on two systems takes as long as on one of them', async () => {
  for (const variant of ['linux', 'windows']) await upload(await head(), 'main', { variant })
  await repository.commit({ 'src/mail.js': 'export const send = 2\n' })
  const usual = async () => (await client.testRuns.select.mutate({ projectId })).tests.map(({ seconds }) => seconds)
  await expect.poll(usual).toEqual([2])
})

test('wrong input is refused with a reason', async () => {
  const refused = (input: object) => client.testRuns.select.mutate({ projectId, ...input })
  await expect(refused({ base: '--upload-pack=x' })).rejects.toThrow(/base: must be the name of a branch/)
  await expect(refused({ base: 'mian' })).rejects.toThrow(/mian.*main/s)
  await expect(refused({ head: 'nowhere' })).rejects.toThrow(/nowhere/)
  await expect(refused({ head: 'main', snapshotId: 'x' })).rejects.toThrow(/at most one/)
  await expect(refused({ budgetSeconds: -1 })).rejects.toThrow(/budgetSeconds/)
  await expect(refused({})).rejects.toThrow(/no earlier commit to compare with/)
})

test('a base whose files are damaged is refused with the reason', async () => {
  const tree = await repository.git('rev-parse', 'main^{tree}')
  await repository.git('checkout', '-q', '-b', 'prices')
  await repository.commit({ 'src/cart.js': 'export const total = 2\n' })
  await rm(join(repository.path, '.git/objects', tree.slice(0, 2), tree.slice(2)))
  const selecting = client.testRuns.select.mutate({ projectId, head: 'prices' })
  await expect(selecting).rejects.toThrow('The files of the earlier commit are missing or damaged.')
})

test('in the shadow of runs of all tests Assay counts what selections would have caught and saved', async () => {
  await upload(await head(), 'main')
  await repository.git('checkout', '-q', '-b', 'prices')
  const red = await upload(await repository.commit({ 'src/cart.js': 'export const total = 2\n' }), 'prices', {
    cart: 'failed',
  })
  const [shadow, ...others] = await shadows(1)
  // The first commit of a repository changes nothing that could be selected.
  expect(others).toEqual([])
  expect(shadow).toMatchObject({
    runId: red,
    branch: 'prices',
    mode: 'impacted',
    failures: 1,
    caught: 1,
    missed: [],
    counts: { all: 3, selected: 1 },
  })

  // Nothing shows that this test uses the mail.
  const missed = await upload(await repository.commit({ 'src/cart.js': 'export const total = 3\n' }), 'prices', {
    mail: 'failed',
  })
  const [latest] = await shadows(2)
  expect(latest).toMatchObject({
    runId: missed,
    failures: 1,
    caught: 0,
    missed: [{ suite: 'mail', name: 'works', file: 'test/mail.test.js', because: 'uses nothing that changed' }],
  })
  const { evidence, policy } = await client.selection.get.query({ projectId })
  expect(policy).toEqual({ mode: 'shadow', alwaysRun: [] })
  expect(evidence).toMatchObject({ runs: 2, redRuns: 2, caughtRuns: 1, failures: 2, caughtFailures: 1, recall: 0.5 })
})

test('a failure that was there before does not come from the change', async () => {
  await upload(await head(), 'main', { mail: 'failed' })
  await repository.git('checkout', '-q', '-b', 'prices')
  await upload(await repository.commit({ 'src/cart.js': 'export const total = 2\n' }), 'prices', { mail: 'failed' })
  expect(await shadows(1)).toMatchObject([{ failures: 0, caught: 0 }])
})

test('selections are enforced only where the history of the project supports them, and by admins', async () => {
  const enforce = () => client.selection.update.mutate({ projectId, policy: { mode: 'enforce' } })
  await expect(enforce()).rejects.toThrow(
    'Selections cannot be enforced in this project. Not enough is known yet: 200 more runs of all tests and 20 more failures that the selection has are needed.',
  )
  await addShadows(200, { failures: 1, caught: 1 })
  await addShadows(2, { failures: 1, caught: 0 })
  expect((await client.selection.get.query({ projectId })).evidence).toMatchObject({ recall: 200 / 202, missing: null })
  await addShadows(1, { failures: 1, caught: 0 })
  await expect(enforce()).rejects.toThrow('in 98.5 % of the runs in which a change broke some; 99 % are needed')
  await addShadows(100, { failures: 1, caught: 1 })
  // Named uploads of one commit count once, with what the selection missed.
  const head = 'c'.repeat(40)
  await addShadows(50, { failures: 1, caught: 1, head })
  await addShadows(1, { failures: 2, caught: 1, head })
  expect((await client.selection.get.query({ projectId })).evidence).toMatchObject({
    runs: 304,
    caughtRuns: 300,
    caughtFailures: 301,
  })
  await addShadows(100, { failures: 1, caught: 1 })
  expect(await enforce()).toMatchObject({ policy: { mode: 'enforce' } })

  const ctx = contextFor(app)
  expect(await isEnforced(ctx, projectId)).toBe(true)
  // After a day without a run of all tests, all tests run.
  const tomorrow = () => new Date(Date.now() + 86_400_000)
  expect(await isEnforced({ ...ctx, now: tomorrow }, projectId)).toBe(false)
  // Nor are tests left out while the latest selections miss too much. Older ones do not count.
  await addShadows(10, { failures: 1, caught: 0 })
  expect(await isEnforced(ctx, projectId)).toBe(false)
  await addShadows(1_000, { failures: 0, caught: 0 })
  expect((await client.selection.get.query({ projectId })).evidence).toMatchObject({ runs: 1_000, redRuns: 0 })
  expect(await isEnforced(ctx, projectId)).toBe(true)
})

test('a member of the organization names tests that always run, and only an admin changes the mode', async () => {
  const { id: organizationId } = await createOrganizationFor(app)
  const member = await createUser(app)
  await createMembershipFor(app, { organizationId, userId: member.id, role: 'member' })
  const { id } = await createProjectFor(app, { organizationId, repository: repository.path })
  const own = app.client(await createTokenFor(app, { user: member }))
  const change = (policy: object) => own.selection.update.mutate({ projectId: id, policy })
  expect(await change({ alwaysRun: ['e2e/**'] })).toMatchObject({ policy: { alwaysRun: ['e2e/**'] } })
  await expect(change({ mode: 'off' })).rejects.toMatchObject({ data: { httpStatus: 403 } })
  await expect(change({ alwaysRun: ['a\u0000'] })).rejects.toMatchObject({ data: { httpStatus: 400 } })
})

/** Stores runs with what a selection would have done in their place. */
async function addShadows(
  count: number,
  { failures, caught, head }: { failures: number; caught: number; head?: string },
) {
  await app.dataSource.query(
    `WITH runs AS (
       INSERT INTO test_runs (id, project_id, user_id, status, type, source, commit_sha, branch, total_tests, with_secrets, created_at, ran_at)
       SELECT new_ulid(now()), $1, $1, 'COMPLETED', 'ALL', 'upload', repeat('a', 40), 'main', 10, true, now(), now()
         FROM generate_series(1, $2::int) RETURNING id)
     INSERT INTO shadow_selections (run_id, project_id, base_sha, head_sha, mode, counts, all_seconds, selected_seconds, failures, caught, missed, created_at)
     SELECT id, $1, repeat('a', 40), coalesce($5, md5(id) || '00000000'), 'impacted', '{"all": 3, "selected": 1, "skipped": 2, "cut": 0}', 10, 2, $3, $4, '[]', now() FROM runs`,
    [projectId, count, failures, caught, head ?? null],
  )
}
