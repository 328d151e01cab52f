import { createHmac, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { issueOneTimeToken } from '../../identity/users/one-time-token.ts'
import { objectOf, packOf } from '../../../engines/source/testing/handmade-pack.ts'
import { storeFile } from '../../files/store.ts'
import { createConfirmationFor } from '../../confirmations/testing.ts'
import { createQuarantineFor } from '../../quarantine/testing.ts'
import { createTestFor } from '../../tests/testing.ts'
import { createMeasurementFor } from '../../strength/testing.ts'
import { createPasswordFor, createRunFor, createSessionFor } from '../../testing/factories.ts'
import { app, type Call, password, projectId, token, user } from './scene.ts'

async function storeReport(name: string) {
  const ctx = { ...app.services, db: app.dataSource.manager, signal: new AbortController().signal }
  const stream = Readable.from(['a report'])
  await storeFile(ctx, { projectId, runId: null, name, contentType: 'text/plain', stream, maxBytes: 1_000 })
}

const freshToken = async (purpose: 'verify_email' | 'reset_password') => {
  const somebody = await createPasswordFor(app, password)
  return (await issueOneTimeToken(app.dataSource.manager, purpose, somebody.id, new Date())).token
}

const endedRun = async () => {
  const error = { code: 'NO_TESTS', message: 'No test ran.' }
  return (await createRunFor(app, { projectId, status: 'FAILED', error, completedAt: new Date() })).id
}

function upload(report: string): Call {
  const fields = { branch: 'main', commitSha: 'a'.repeat(40) }
  const parts = [
    ...Object.entries(fields).map(([name, value]) => `name="${name}"\r\n\r\n${value}`),
    `name="reports"; filename="junit.xml"\r\n\r\n${report}`,
  ]
  const body = `${parts.map((part) => `--x\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--x--\r\n`
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } }
}

function delivery(secret: string): Call {
  const body = JSON.stringify({ zen: 'Keep it logically awesome.' })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const event = { 'x-github-event': 'ping', 'x-github-delivery': randomUUID() }
  return { as: 'nobody', body, headers: { ...event, 'x-hub-signature-256': `sha256=${signature}` } }
}

function deliveries(secret: string): [number, () => Call][] {
  return [
    [200, () => delivery(secret)],
    [401, () => delivery('another secret')],
  ]
}

function billingEvent(secret: string): Call {
  const created = Math.floor(Date.now() / 1_000)
  const body = JSON.stringify({ id: randomUUID(), object: 'event', type: 'ping', created, data: { object: {} } })
  const signature = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex')
  return { as: 'nobody', body, headers: { 'stripe-signature': `t=${created},v1=${signature}` } }
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** A pack of the empty tree, unless another body is given. */
function snapshotOf(tree: string, body = packOf([objectOf('tree', '')])): Call {
  return { search: `?tree=${tree}`, body, headers: { 'content-type': 'application/x-git-packed-objects' } }
}

/** What each operation answers to; every operation has a call that succeeds. */
export const calls: Record<string, [status: number, call: () => Call | Promise<Call>][]> = {
  getHealth: [[200, () => ({})]],
  getOpenApiDocument: [[200, () => ({})]],
  getSession: [
    [200, () => ({ as: 'session' })],
    [401, () => ({ as: 'nobody' })],
  ],
  listSessions: [[200, () => ({})]],
  revokeSession: [
    [200, async () => ({ body: { token: (await createSessionFor(app, user)).sessionId } })],
    [404, () => ({ body: { token: 'nothing' } })],
  ],
  revokeOtherSessions: [[200, () => ({ as: 'session' })]],
  signOut: [[200, () => ({ as: 'nobody' })]],
  signInWithCodeHost: [
    [200, () => ({ as: 'nobody', body: { provider: 'code_host' } })],
    [400, () => ({ as: 'nobody', body: { provider: 'another' } })],
  ],
  linkCodeHost: [
    [200, () => ({ as: 'session', body: { provider: 'code_host' } })],
    [403, () => ({ body: { provider: 'code_host' } })],
  ],
  returnFromCodeHost: [
    [302, () => ({ as: 'nobody', search: '?code=a&state=b' })],
    [302, () => ({ as: 'nobody' })],
  ],
  signUpWithEmail: [
    [200, () => ({ as: 'nobody', body: { email: 'new@example.com', password } })],
    [400, () => ({ as: 'nobody', body: { email: 'new@example.com', password: 'short' } })],
  ],
  signInWithEmail: [
    [200, () => ({ as: 'nobody', body: { email: user.email, password } })],
    [401, () => ({ as: 'nobody', body: { email: 'nobody@example.com', password } })],
  ],
  changePassword: [
    [
      200,
      () => ({ as: 'session', body: { currentPassword: password, newPassword: password, revokeOtherSessions: false } }),
    ],
    [403, () => ({ body: { currentPassword: password, newPassword: password } })],
  ],
  requestPasswordReset: [[200, () => ({ as: 'nobody', body: { email: 'nobody@example.com' } })]],
  resetPassword: [
    [
      200,
      async () => ({
        as: 'nobody',
        body: { token: await freshToken('reset_password'), newPassword: 'calm blue tables' },
      }),
    ],
    [400, () => ({ as: 'nobody', body: { token: 'x', newPassword: 'calm blue tables' } })],
  ],
  openPasswordResetPage: [
    [303, () => ({ as: 'nobody', search: '?token=x' })],
    [400, () => ({ as: 'nobody' })],
  ],
  sendVerificationEmail: [[200, () => ({ as: 'session' })]],
  verifyEmail: [
    [200, async () => ({ as: 'nobody', body: { token: await freshToken('verify_email'), password } })],
    [401, async () => ({ as: 'nobody', body: { token: await freshToken('verify_email') } })],
    [400, () => ({ as: 'nobody', body: { token: 'x' } })],
  ],
  openVerificationPage: [
    [303, () => ({ as: 'nobody', search: '?token=x' })],
    [400, () => ({ as: 'nobody', search: '?token=x&token=y' })],
  ],
  listProjects: [
    [200, () => ({})],
    [200, () => ({ search: '?page=1000000&pageSize=100&search=x' })],
    [400, () => ({ search: '?page=0' })],
  ],
  getProject: [
    [200, () => ({})],
    [404, () => ({ params: { id: 'nope' } })],
  ],
  analyzeProject: [
    [202, () => ({})],
    [400, () => ({ body: { branch: 5 } })],
    [403, () => ({ body: { userEmail: 'somebody.else@example.com' } })],
    ...['a', 'b', 'c', 'd'].map((branch): [number, () => Call] => [202, () => ({ body: { branch } })]),
    [409, () => ({ body: { branch: 'e' } })],
  ],
  createSnapshot: [
    [201, () => snapshotOf(emptyTree)],
    [200, () => snapshotOf(emptyTree)],
    [400, () => snapshotOf(emptyTree, Buffer.from('no pack'))],
    [400, () => snapshotOf('main')],
    [404, () => ({ ...snapshotOf(emptyTree), params: { id: 'nope' } })],
    [413, () => snapshotOf(emptyTree, Buffer.alloc(65 * 2 ** 20))],
    [415, () => ({ ...snapshotOf(emptyTree), headers: {} })],
  ],
  listTests: [
    [200, () => ({ search: '?health=flaky,broken&sort=rate' })],
    [400, () => ({ search: '?health=sick' })],
    [404, () => ({ params: { id: '-' } })],
  ],
  getTest: [
    [200, async () => ({ params: { testId: await createTestFor(app, projectId) } })],
    [400, () => ({ params: { testId: 'adds' } })],
    [404, () => ({ params: { testId: randomUUID() } })],
  ],
  getTestSpeed: [
    [200, () => ({})],
    [404, () => ({ search: '?runId=none' })],
  ],
  planShards: [
    [200, () => ({ search: '?count=3' })],
    [400, () => ({ search: '?count=0' })],
  ],
  planShardsOfFiles: [
    [200, () => ({ body: { count: 2, files: ['a.test.js'] } })],
    [400, () => ({ body: { count: 2, files: [] } })],
  ],
  mergeTest: [
    [
      200,
      async () => ({
        params: { testId: await createTestFor(app, projectId) },
        body: { from: await createTestFor(app, projectId) },
      }),
    ],
    [400, () => ({ params: { testId: randomUUID() }, body: { from: 'adds' } })],
  ],
  confirmFix: [
    [202, async () => ({ params: { testId: await createTestFor(app, projectId) }, body: { repeats: 10 } })],
    [400, () => ({ params: { testId: randomUUID() }, body: { repeats: 9 } })],
    [404, () => ({ params: { testId: randomUUID() }, body: {} })],
  ],
  getConfirmation: [
    [200, async () => ({ params: { id: (await createConfirmationFor(app, { projectId })).id } })],
    [404, () => ({ params: { id: '-' } })],
  ],
  getTestPolicy: [[200, () => ({})]],
  updateTestPolicy: [
    [200, () => ({ body: { health: { quietDays: 8 } } })],
    [400, () => ({ body: { health: { quiet: 8 } } })],
  ],
  previewTestPolicy: [
    [200, () => ({ body: { health: { brokenFailures: 4 } } })],
    [400, () => ({ body: { health: { brokenFailures: 1 } } })],
  ],
  listQuarantines: [
    [200, () => ({ search: '?status=active' })],
    [400, () => ({ search: '?status=old' })],
  ],
  requestQuarantine: [
    [201, async () => ({ body: { testId: await createTestFor(app, projectId), reason: 'fails at midnight' } })],
    [400, () => ({ body: { testId: randomUUID() } })],
    [404, () => ({ body: { testId: randomUUID(), reason: 'fails at midnight' } })],
  ],
  grantQuarantine: [
    [200, async () => ({ params: { id: (await createQuarantineFor(app, { projectId })).id }, body: { days: 3 } })],
    [404, () => ({ params: { id: '-' }, body: {} })],
    [
      409,
      async () => ({ params: { id: (await createQuarantineFor(app, { projectId, status: 'expired' })).id }, body: {} }),
    ],
  ],
  releaseQuarantine: [
    [200, async () => ({ params: { id: (await createQuarantineFor(app, { projectId })).id }, body: {} })],
    [404, () => ({ params: { id: '-' }, body: {} })],
  ],
  measureStrength: [
    [202, () => ({})],
    [202, () => ({ body: { branch: 'trunk', paths: ['src'], since: 'main', budgetSeconds: 60 } })],
    [400, () => ({ body: { budgetSeconds: 5 } })],
    [400, () => ({ body: { since: '--help' } })],
    [404, () => ({ params: { id: 'nope' } })],
  ],
  getMeasurement: [
    [200, async () => ({ params: { id: (await createMeasurementFor(app, { projectId })).id } })],
    [
      400,
      async () => ({ params: { id: (await createMeasurementFor(app, { projectId })).id }, search: '?waitSeconds=x' }),
    ],
    [404, () => ({ params: { id: 'nope' } })],
  ],
  triggerRun: [
    [202, () => ({})],
    [202, () => ({ body: { branch: 'trunk', type: 'UNIT', paths: ['src'] }, headers: { 'idempotency-key': 'one' } })],
    [409, () => ({ body: { branch: 'other' }, headers: { 'idempotency-key': 'one' } })],
    [400, () => ({ headers: { 'idempotency-key': 'a b' } })],
    [400, () => ({ body: { type: 'SOME' } })],
    [404, () => ({ params: { projectId: 'nope' } })],
  ],
  uploadResults: [
    [201, () => upload('<testsuite><testcase name="adds"/></testsuite>')],
    [200, () => upload('<testsuite><testcase name="adds"/></testsuite>')],
    [400, () => upload('<testsuite>')],
    [404, () => ({ params: { projectId: 'nope' } })],
    [413, () => ({ body: 'x'.repeat(51 * 2 ** 20), headers: { 'content-type': 'multipart/form-data; boundary=x' } })],
    [415, () => ({ body: {} })],
  ],
  getRunStatus: [
    [200, async () => ({ params: { runId: await endedRun() } })],
    [404, () => ({ params: { runId: 'nope' } })],
  ],
  streamRun: [
    [200, async () => ({ params: { runId: await endedRun() } })],
    [204, async () => ({ params: { runId: await endedRun() }, headers: { 'last-event-id': 'end' } })],
    [400, async () => ({ params: { runId: await endedRun() }, search: '?from=x' })],
    [404, () => ({ params: { runId: 'nope' } })],
  ],
  receiveForApp: deliveries('secret of the app'),
  receiveForAll: deliveries('secret of all'),
  receiveForProject: [
    [200, async () => delivery((await app.client(token).projects.rotateInboundSecret.mutate({ projectId })).secret)],
    [401, () => delivery('another secret')],
  ],
  receiveBillingEvent: [
    [200, () => billingEvent('secret of billing')],
    [401, () => billingEvent('another secret')],
  ],
  downloadFile: [
    [
      200,
      async () => {
        await storeReport('report.txt')
        return {}
      },
    ],
    [206, () => ({ headers: { range: 'bytes=0-1' } })],
    [416, () => ({ headers: { range: 'bytes=900-' } })],
    [404, () => ({ params: { name: 'another.txt' } })],
  ],
}
