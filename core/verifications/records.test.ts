import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { createTestApp, type TestApp } from '../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createTokenFor,
  createUser,
} from '../testing/factories.ts'
import { VerificationEntity } from './entity.ts'
import { createVerificationFor } from './testing.ts'
import { beginAttempt } from '../verdicts/state.ts'
import type { Evidence } from '../../engines/verdicts/schema.ts'
import { endVerification } from './state.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

const someTest = { filePath: 'tests/cart.test.js', code: "test('adds up', () => {})" }

async function createScene() {
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user })
  return { user, projectId, client: app.client(await createTokenFor(app, { user })) }
}

const rowOf = (id: string) => app.dataSource.getRepository(VerificationEntity).findOneByOrFail({ id })

async function insertSuggestion(projectId: string) {
  const id = newId(new Date())
  const now = new Date()
  await app.dataSource.getRepository(SuggestionEntity).insert({
    id,
    projectId,
    userId: id,
    commitSha: 'c'.repeat(40),
    filePath: 'src/cart.js',
    testType: 'unit',
    description: 'Test total',
    rationale: 'It has no test',
    exampleCode: '',
    target: { symbol: 'total', startLine: 3, endLine: 9 },
    fingerprint: id,
    status: 'open',
    verificationId: null,
    createdAt: now,
    updatedAt: now,
  })
  return id
}

async function insertGenerated(projectId: string, suggestionId: string | null) {
  const id = newId(new Date())
  await app.dataSource.getRepository(GeneratedTestEntity).insert({
    id,
    projectId,
    userId: id,
    suggestionId,
    commitSha: 'c'.repeat(40),
    filePath: 'tests/total.test.js',
    code: 'expect(1).toBe(1)',
    testType: 'unit',
    framework: null,
    description: 'Total',
    target: null,
    verdict: null,
    verificationId: null,
    dismissedAt: null,
    createdAt: new Date(),
  })
  return id
}

test('creates a record immediately, by default for the branch of the project', async () => {
  const { client, projectId } = await createScene()
  const made = await client.tests.verify.mutate({ projectId, ...someTest })
  expect(made).toMatchObject({ projectId, ...someTest, status: 'pending', branch: 'main' })
  expect(made).toMatchObject({ verdict: null, evidence: null, commitSha: null, batchId: null })
  const commitSha = 'a'.repeat(40)
  expect(await client.tests.verify.mutate({ projectId, ...someTest, commitSha })).toMatchObject({
    commitSha,
    branch: null,
  })
  const page = await client.tests.listVerifications.query({ projectId, limit: 1 })
  expect(page).toMatchObject({ verifications: [{ commitSha }], pagination: { total: 2, limit: 1, offset: 0 } })
  expect(page.verifications[0]).not.toHaveProperty('evidence')
  expect(page.verifications[0]).not.toHaveProperty('code')
})

test.each([
  ['/etc/passwd', 'inside the repository'],
  ['../other/a.test.js', 'inside the repository'],
  ['tests/../../a.test.js', 'inside the repository'],
  ['tests//a.test.js', 'inside the repository'],
  ['tests\\a.test.js', 'inside the repository'],
  ['tests/a\n.test.js', 'inside the repository'],
  ['.git/hooks/a.test.js', '.git'],
  ['tests/.GIT/a.test.js', '.git'],
  ['-rf.test.js', 'hyphen'],
  [`${'a/'.repeat(60)}a.test.js`, 'inside the repository'],
  [`${'a'.repeat(300)}.test.js`, '255 bytes'],
])('rejects the path %j', async (filePath, message) => {
  const { client, projectId } = await createScene()
  await expect(client.tests.verify.mutate({ projectId, ...someTest, filePath })).rejects.toThrow(message)
  const target = { path: filePath }
  await expect(client.tests.verify.mutate({ projectId, ...someTest, target })).rejects.toThrow('target.path')
})

test('rejects code with a NUL character or half a surrogate pair', async () => {
  const { client, projectId } = await createScene()
  for (const code of ['a\0b', 'a\ud800']) {
    await expect(client.tests.verify.mutate({ projectId, ...someTest, code })).rejects.toThrow('code: contains a NUL')
  }
})

test('takes path, code, suggestion and target from a generated test', async () => {
  const { client, projectId } = await createScene()
  const suggestionId = await insertSuggestion(projectId)
  const generatedTestId = await insertGenerated(projectId, suggestionId)
  const { id } = await client.tests.verify.mutate({ projectId, generatedTestId })
  expect(await rowOf(id)).toMatchObject({
    generatedTestId,
    suggestionId,
    filePath: 'tests/total.test.js',
    code: 'expect(1).toBe(1)',
    target: { path: 'src/cart.js', symbol: 'total', startLine: 3, endLine: 9 },
  })
})

test('answers the same for generated tests and suggestions of other projects and for missing ones', async () => {
  const { client, projectId } = await createScene()
  const other = await createScene()
  const suggestionId = await insertSuggestion(other.projectId)
  const generatedTestId = await insertGenerated(other.projectId, suggestionId)
  await expect(client.tests.verify.mutate({ projectId, generatedTestId })).rejects.toThrow('No such generated test')
  await expect(client.tests.verify.mutate({ projectId, ...someTest, suggestionId })).rejects.toThrow(
    'No such suggestion',
  )
})

test('fails the invalid tests of a batch and queues the others', async () => {
  const { client, projectId } = await createScene()
  const tests = [someTest, { ...someTest, filePath: '../a.js' }, {}, { filePath: 'b.js', code: 'a\0' }, someTest]
  const { batchId, url, verifications } = await client.tests.verifyMany.mutate({ projectId, tests, repeats: 3 })
  expect(url).toBe(`${app.config.baseUrl}/projects/${projectId}/verifications`)
  expect(verifications[0]?.url).toBe(`${url}/${verifications[0]?.id}`)
  expect(verifications.map(({ status, error }) => [status, error?.code])).toEqual([
    ['pending', undefined],
    ['failed', 'invalid'],
    ['failed', 'invalid'],
    ['failed', 'invalid'],
    ['pending', undefined],
  ])
  expect(verifications[1]?.error?.message).toMatch(/^filePath: must be a path inside the repository/)
  // A test without a path is identified by its index in the call.
  expect(verifications[2]).toMatchObject({
    filePath: 'tests.2',
    error: { message: expect.stringMatching(/are missing/) },
  })
  expect(verifications.map(({ filePath }) => filePath)).toEqual([
    someTest.filePath,
    '../a.js',
    'tests.2',
    'b.js',
    someTest.filePath,
  ])
  const page = await client.tests.listVerifications.query({ projectId, batchId, status: 'pending' })
  expect(page.pagination.total).toBe(2)
  expect(page.verifications.map(({ id }) => id).toSorted()).toEqual(
    verifications.flatMap(({ id, status }) => (status === 'pending' ? [id] : [])).toSorted(),
  )
})

test('cancels a queued verification, but not one that has ended', async () => {
  const { client, projectId } = await createScene()
  const { id: verificationId } = await client.tests.verify.mutate({ projectId, ...someTest })
  const cancelled = await client.tests.cancelVerification.mutate({ verificationId })
  expect(cancelled).toMatchObject({ status: 'cancelled', verdict: null })
  expect(await client.tests.cancelVerification.mutate({ verificationId })).toEqual(cancelled)
  expect(await client.tests.getVerification.query({ verificationId, waitSeconds: 45 })).toEqual(cancelled)
})

test('limits a project to 200 queued verifications', async () => {
  const { client, projectId } = await createScene()
  const tests = Array.from({ length: 50 }, () => someTest)
  for (let times = 0; times < 3; times++) await client.tests.verifyMany.mutate({ projectId, tests })
  await client.tests.verifyMany.mutate({ projectId, tests: tests.slice(1) })
  await expect(client.tests.verifyMany.mutate({ projectId, tests: [someTest, someTest] })).rejects.toThrow(
    'This project has 199 queued verifications',
  )
  await client.tests.verify.mutate({ projectId, ...someTest })
  await expect(client.tests.verify.mutate({ projectId, ...someTest })).rejects.toThrow('the maximum is 200')
})

test('passes secrets only to tests of callers who may set commands', async () => {
  const { user, client, projectId } = await createScene()
  const seesSecrets = async (by: typeof client, project: string) =>
    (await rowOf((await by.tests.verify.mutate({ projectId: project, ...someTest })).id)).withSecrets
  expect(await seesSecrets(client, projectId)).toBe(true)
  const runner = app.client(await createTokenFor(app, { user, scopes: ['tests:run'] }))
  expect(await seesSecrets(runner, projectId)).toBe(false)

  const { id: organizationId } = await createOrganizationFor(app)
  const { id: shared } = await createProjectFor(app, { organizationId })
  for (const [role, expected] of [['member', false] as const, ['admin', true] as const]) {
    const somebody = await createUser(app)
    await createMembershipFor(app, { organizationId, user: somebody, role })
    expect(await seesSecrets(app.client(await createTokenFor(app, { user: somebody })), shared)).toBe(expected)
  }
})

test('filters verifications by file, verdict and status', async () => {
  const { client, projectId } = await createScene()
  await createVerificationFor(app, { projectId, status: 'completed', verdict: 'accepted', filePath: 'a.test.js' })
  await createVerificationFor(app, { projectId, status: 'completed', verdict: 'flaky', filePath: 'b.test.js' })
  await createVerificationFor(app, { projectId, filePath: 'a.test.js' })
  const count = async (filter: object) =>
    (await client.tests.listVerifications.query({ projectId, ...filter })).pagination.total
  expect(await count({})).toBe(3)
  expect(await count({ filePath: 'a.test.js' })).toBe(2)
  expect(await count({ verdict: 'flaky' })).toBe(1)
  expect(await count({ status: 'completed', filePath: 'a.test.js' })).toBe(1)
})

test('rejects suggestions of other projects and targets that do not match the suggestion', async () => {
  const { client, projectId } = await createScene()
  const other = await createScene()
  const foreign = await insertSuggestion(other.projectId)
  const target = { path: 'src/cart.js', symbol: 'total' }
  for (const suggestionId of [foreign, 'nonsense', 'x'.repeat(5_000)]) {
    await expect(client.tests.verify.mutate({ projectId, ...someTest, suggestionId, target })).rejects.toThrow(
      'No such suggestion',
    )
  }
  const suggestionId = await insertSuggestion(projectId)
  for (const another of [{ ...target, symbol: 'clamp' }, { path: 'src/other.js' }]) {
    await expect(client.tests.verify.mutate({ projectId, ...someTest, suggestionId, target: another })).rejects.toThrow(
      'does not match the target of the suggestion',
    )
  }
  const { verifications } = await client.tests.verifyMany.mutate({
    projectId,
    tests: [someTest, { ...someTest, filePath: 'tests/b.test.js', suggestionId: 'nonsense', target }],
  })
  expect(verifications).toMatchObject([{ status: 'pending' }, { status: 'failed', error: { code: 'invalid' } }])
})

test('rejects paths with invisible characters', async () => {
  const { client, projectId } = await createScene()
  for (const filePath of ['.g\u200cit/config', '\u202ex.test.js', 'tests/a\u2028b.test.js']) {
    await expect(client.tests.verify.mutate({ projectId, ...someTest, filePath })).rejects.toThrow('filePath')
  }
})

const evidence: Evidence = {
  reason: 'kills_mutants',
  summary: 'The test detects a mutant.',
  target: null,
  framework: null,
  command: null,
  baseline: null,
  collected: null,
  runs: [],
  coverage: null,
  mutation: null,
  notRun: ['repeats'],
  style: null,
  output: '',
  warnings: [],
  durationMs: 1,
}
const provisional = { status: 'running', attempt: 1, verdict: 'accepted', evidence } as const
const none = { verdict: null, isProvisional: false, evidence: null }

test('a call waits for the end, or for the first verdict, which may be provisional', async () => {
  const { client, projectId } = await createScene()
  const { id: verificationId } = await createVerificationFor(app, { projectId, status: 'running', attempt: 1 })
  const first = client.tests.getVerification.query({ verificationId, waitSeconds: 45, final: false })
  const last = client.tests.getVerification.query({ verificationId, waitSeconds: 45 })
  await app.dataSource.getRepository(VerificationEntity).update({ id: verificationId }, provisional)
  expect(await first).toMatchObject({ status: 'running', verdict: 'accepted', isProvisional: true })
  await end({ id: verificationId, attempt: 1 }, { status: 'completed', verdict: 'flaky', evidence })
  expect(await last).toMatchObject({ status: 'completed', verdict: 'flaky', isProvisional: false })
})

test('a verification that ends without a final verdict loses its provisional one, and is not announced', async () => {
  const { client, projectId } = await createScene()
  await client.webhooks.create.mutate({ url: 'http://127.0.0.1:1/', events: ['test.verified'], projectId })
  const { id: verificationId } = await createVerificationFor(app, { projectId, ...provisional })
  const cancelled = await client.tests.cancelVerification.mutate({ verificationId })
  expect(cancelled).toMatchObject({ status: 'cancelled', ...none })
  const failed = await createVerificationFor(app, { projectId, ...provisional })
  await end({ id: failed.id }, { status: 'failed', error: { code: 'interrupted', message: 'x' } })
  expect(await client.tests.getVerification.query({ verificationId: failed.id })).toMatchObject({
    status: 'failed',
    ...none,
  })
  expect(await app.dataSource.query('SELECT 1 FROM webhook_deliveries')).toEqual([])
})

test('a new attempt begins without the provisional verdict of the one before', async () => {
  const { client, projectId } = await createScene()
  const { id: verificationId } = await createVerificationFor(app, { projectId, ...provisional })
  const again = await beginAttempt(ctx(), VerificationEntity, verificationId)
  expect(again?.row).toMatchObject({ attempt: 2, progress: null, verdict: null, evidence: null })
  expect(await client.tests.getVerification.query({ verificationId })).toMatchObject({ status: 'running', ...none })
})

const ctx = () => ({
  ...app.services,
  db: app.dataSource.manager,
  actor: { kind: 'system' as const },
  client: { ipAddress: null, userAgent: null },
  requestId: 'test',
  forgetSession: () => {},
  signal: new AbortController().signal,
})

const end = (...[row, how]: [Parameters<typeof endVerification>[1], Parameters<typeof endVerification>[2]]) =>
  inTransaction(ctx(), (tx) => endVerification(tx, row, how))
