import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { VerificationRow } from '../verifications/entity.ts'
import { createVerificationFor } from '../verifications/testing.ts'
import type { Evidence, Verdict } from '../../engines/verdicts/schema.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

const noGain = { newTargetLines: '', newTargetBranches: 0, newProjectLines: 0, newProjectBranches: 0 }
const evidenceOf = (facts: { coverage?: object | null; mutation?: object | null }) =>
  ({ reason: 'r', ...facts }) as Evidence

async function setUp() {
  const user = await createUser(app)
  const token = await createTokenFor(app, { user })
  const { id: projectId } = await createProjectFor(app, { user })
  const { projects } = app.client(token)
  const verified = (filePath: string, verdict: Verdict, days = 1, fields: Partial<VerificationRow> = {}) =>
    createVerificationFor(app, {
      projectId,
      filePath,
      verdict,
      status: 'completed',
      createdAt: daysAgo(days),
      completedAt: daysAgo(days),
      ...fields,
    })
  /** Uploads a run in which the tests of these files passed or failed, and sets its time. */
  const ran = async (files: Record<string, 'passed' | 'failed'>, days = 0, branch = 'main') => {
    const form = new FormData()
    form.set('branch', branch)
    form.set('commitSha', 'a'.repeat(40))
    form.set('name', `${days} ${Object.keys(files).join(' ')}`.slice(0, 120))
    const cases = Object.entries(files).map(
      ([file, status]) =>
        `<testcase classname="c" name="n" file="${file}" time="1">${status === 'failed' ? '<failure message="x"/>' : ''}</testcase>`,
    )
    form.set('reports', new Blob([`<testsuite name="s">${cases.join('')}</testsuite>`]), 'junit.xml')
    const response = await app.fetch(`/api/ci/upload/${projectId}`, { method: 'POST', token, body: form })
    const { runId, message } = (await response.json()) as { runId: string; message?: string }
    if (!runId) throw new Error(message)
    await app.dataSource.query('UPDATE test_runs SET created_at = $2 WHERE id = $1', [runId, daysAgo(days)])
    return runId
  }
  const funnel = (input: object = {}) => projects.funnel.query({ projectId, ...input })
  return { user, projectId, projects, verified, ran, funnel }
}

test('counts tests by how far they came', async () => {
  const { verified, funnel } = await setUp()
  expect(await funnel()).toMatchObject({ stages: { proposed: 0, kept: 0 }, dueAfter30Days: 0 })
  await verified('broken.test.js', 'not_built')
  await verified('flaky.test.js', 'flaky', 1, { evidence: evidenceOf({ mutation: { killed: 3 } }) })
  await verified('weak.test.js', 'no_gain', 1, { evidence: evidenceOf({ coverage: noGain, mutation: { killed: 0 } }) })
  await verified('bug.test.js', 'suspected_bug', 1, { evidence: evidenceOf({ coverage: null, mutation: null }) })
  await verified('killing.test.js', 'accepted', 1, {
    evidence: evidenceOf({ coverage: noGain, mutation: { killed: 1 } }),
  })
  for (const [name, gain] of Object.entries({
    lines: { newTargetLines: '3-7' },
    branches: { newTargetBranches: 1 },
    elsewhere: { newProjectLines: 2 },
    branchesElsewhere: { newProjectBranches: 1 },
  })) {
    await verified(`${name}.test.js`, 'accepted', 1, { evidence: evidenceOf({ coverage: { ...noGain, ...gain } }) })
  }
  const { since, ...counts } = await funnel()
  expect(since).toMatch(/T00:00:00.000Z$/)
  expect(counts).toEqual({
    stages: { proposed: 9, built: 8, stable: 7, gaining: 4, killing: 1, kept: 0, passingAfter30Days: 0 },
    dueAfter30Days: 0,
    verdicts: { accepted: 5, not_built: 1, flaky: 1, no_gain: 1, suspected_bug: 1 },
  })
})

test('counts a test once, with its latest final verdict, within the period', async () => {
  const { verified, funnel } = await setUp()
  await verified('a.test.js', 'flaky')
  await verified('a.test.js', 'accepted')
  await verified('a.test.js', 'accepted', 1, { code: 'another version' })
  await verified('a.test.js', 'not_built', 1, { status: 'running', completedAt: null })
  await verified('old.test.js', 'accepted', 10)
  expect((await funnel({ days: 5 })).verdicts).toMatchObject({ accepted: 2, flaky: 0, not_built: 0 })
  expect((await funnel()).stages.proposed).toBe(3)
})

test('a test is kept if later runs of the branch report its file', async () => {
  const { projectId, verified, ran, funnel } = await setUp()
  await verified('kept.test.js', 'accepted', 5, { code: 'first version' })
  await verified('kept.test.js', 'accepted', 5, { code: 'second version' })
  await verified('gone.test.js', 'accepted', 5)
  await verified('elsewhere.test.js', 'accepted', 5)
  await verified('broken.test.js', 'not_built', 5)
  await ran({ 'gone.test.js': 'passed' }, 6)
  await ran({ 'elsewhere.test.js': 'passed' }, 0, 'feature/x')
  await ran({ 'kept.test.js': 'failed', 'broken.test.js': 'failed' })
  const other = await setUp()
  await other.ran({ 'gone.test.js': 'passed' })
  expect(await funnel()).toMatchObject({ stages: { proposed: 5, kept: 1, passingAfter30Days: 0 }, dueAfter30Days: 0 })
  const snapshots = await app.dataSource.query(
    `UPDATE test_runs SET snapshot_id = 'a-snapshot' WHERE project_id = $1 RETURNING id`,
    [projectId],
  )
  expect(snapshots).not.toEqual([])
  expect((await funnel()).stages.kept).toBe(0)
})

test('after 30 days, a kept test passes if no test of its file failed in the latest run with it', async () => {
  const { verified, ran, funnel } = await setUp()
  for (const name of ['passing', 'failing', 'mended', 'removed', 'early'])
    await verified(`${name}.test.js`, 'accepted', 40)
  await verified('young.test.js', 'accepted', 20)
  await ran({ 'removed.test.js': 'passed', 'early.test.js': 'passed' }, 30)
  await ran({ 'failing.test.js': 'passed', 'mended.test.js': 'failed' }, 5)
  await ran({
    'passing.test.js': 'passed',
    'failing.test.js': 'failed',
    'mended.test.js': 'passed',
    'young.test.js': 'passed',
  })
  const { stages, dueAfter30Days } = await funnel()
  expect({ ...stages, dueAfter30Days }).toMatchObject({
    proposed: 6,
    kept: 6,
    passingAfter30Days: 2,
    dueAfter30Days: 5,
  })
})

test('reports with hostile paths are stored like others', async () => {
  const { verified, ran, funnel } = await setUp()
  const hostile = `${'ä'.repeat(600)}.test.js`
  await verified("a';--.test.js", 'accepted')
  await ran({ [hostile]: 'passed', "a';--.test.js": 'passed' })
  expect((await funnel()).stages.kept).toBe(1)
})

test('refuses foreign projects, wrong input and tokens without the scope', async () => {
  const { user, projectId, projects, funnel } = await setUp()
  const { id: foreign } = await createProjectFor(app)
  await expect(projects.funnel.query({ projectId: foreign })).rejects.toThrow('No such project')
  await expect(funnel({ days: 401 })).rejects.toThrow('days: must be at most 400')
  await expect(funnel({ days: 1.5 })).rejects.toThrow('days: must be an integer')
  const reader = app.client(await createTokenFor(app, { user, scopes: ['projects:read'] }))
  await expect(reader.projects.funnel.query({ projectId })).rejects.toThrow('tests:read')
})
