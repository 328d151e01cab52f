import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeFile } from './files/store.ts'
import { createGeneratedTestFor } from './generated-tests/testing.ts'
import { newId } from './base/ids.ts'
import { appRouter } from './router.ts'
import { createRouter } from './routes.ts'
import { createConfirmationFor } from './confirmations/testing.ts'
import { createQuarantineFor } from './quarantine/testing.ts'
import { createSnapshotFor } from './snapshots/testing.ts'
import { createSuggestionFor } from './suggestions/testing.ts'
import { createTestApp, type TestApp } from './testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createSessionFor,
  createTokenFor,
  createUser,
} from './testing/factories.ts'
import type { Ids, Probe } from './testing/entry-points/probe.ts'
import { procedures } from './testing/entry-points/procedures.ts'
import { routes } from './testing/entry-points/routes.ts'
import { createChangeFor } from './changes/testing.ts'
import { createGateFor } from './gate/testing.ts'
import { createMeasurementFor } from './strength/testing.ts'
import { createVerificationFor } from './verifications/testing.ts'
import { createDeliveryFor, createWebhookFor } from './webhooks/testing.ts'

let app: TestApp
beforeAll(async () => {
  // One session cookie stays valid, however long the test takes.
  const sessions = { rotationIntervalMs: 3_600_000, rotationGraceMs: 3_600_000, absoluteMs: 86_400_000, idleMs: 0 }
  app = await createTestApp({ role: 'web', production: true, sessions })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Creates a user with an organization, a member in it, a personal project and a project of the organization. */
async function createTenant() {
  const user = await createUser(app)
  const { id: organization, slug } = await createOrganizationFor(app, { user })
  const { id: member } = await createMembershipFor(app, { organizationId: organization })
  const token = await createTokenFor(app, { user })
  const client = app.client(token)
  const { cookie, sessionId: session } = await createSessionFor(app, user)
  const { id: tokenId } = await client.tokens.current.query()
  const withProject = async (organizationId: string | null): Promise<Ids> => {
    const { id: project } = await createProjectFor(app, { user, organizationId })
    await client.projects.rotateInboundSecret.mutate({ projectId: project })
    await storeFile(
      { ...app.services, db: app.dataSource.manager, signal: new AbortController().signal },
      {
        projectId: project,
        runId: null,
        name: 'report.html',
        contentType: 'text/html',
        stream: Readable.from('<p>Fine.</p>'),
        maxBytes: 1_000,
      },
    )
    const { id: analysis } = await client.analysis.startAnalysis.mutate({ projectId: project })
    const { id: run } = await createRunFor(app, { projectId: project, status: 'COMPLETED' })
    const { id: webhook } = await createWebhookFor(app, { userId: user.id, organizationId, projectId: project })
    const { id: delivery } = await createDeliveryFor(app, { webhookId: webhook })
    const { id: verification } = await createVerificationFor(app, { projectId: project })
    const { id: change } = await createChangeFor(app, { projectId: project })
    const { id: measurement } = await createMeasurementFor(app, { projectId: project })
    const { id: suggestion } = await createSuggestionFor(app, { projectId: project })
    const { id: generatedTest } = await createGeneratedTestFor(app, { projectId: project, suggestionId: suggestion })
    const { id: snapshot } = await createSnapshotFor(app, { projectId: project, userId: user.id })
    const sent = { webhook, delivery }
    const { id: quarantine } = await createQuarantineFor(app, { projectId: project })
    const { id: confirmation } = await createConfirmationFor(app, { projectId: project })
    const { id: gate } = await createGateFor(app, { projectId: project })
    const work = { verification, change, measurement, suggestion, generatedTest }
    const proof = { ...work, snapshot, quarantine, confirmation, gate }
    return { project, analysis, run, organization, slug, member, token: tokenId, session, ...sent, ...proof }
  }
  const ids = { ofOrganization: await withProject(organization), personal: await withProject(null) }
  return { user, token, cookie, ids }
}

interface Credential {
  name: string
  headers: Record<string, string>
  /** True if the credential is not restricted to an organization or project. */
  unconfined: boolean
}

async function createStranger() {
  const { user, token, cookie, ids } = await createTenant()
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const organizationId = ids.ofOrganization.organization
  const projectId = ids.ofOrganization.project
  const credentials: Credential[] = [
    { name: 'token', headers: bearer(token), unconfined: true },
    { name: 'session', headers: { cookie, origin: app.url }, unconfined: true },
    {
      name: 'token of an organization',
      headers: bearer(await createTokenFor(app, { user, organizationId })),
      unconfined: false,
    },
    { name: 'token of a project', headers: bearer(await createTokenFor(app, { user, projectId })), unconfined: false },
  ]
  return { own: ids.ofOrganization, credentials }
}

/** Returns the whole response except the request id, times and the ids of the request. */
async function call(entryPoint: string, probe: Probe, { headers }: Credential, ids: Ids, own: Ids) {
  const [method, pattern = `/trpc/${entryPoint}`] = entryPoint.includes(' ') ? entryPoint.split(' ') : ['POST']
  const input = probe.input?.(ids, own)
  const body = input && (probe.form ? new URLSearchParams(input as Record<string, string>) : JSON.stringify(input))
  const response = await app.fetch(probe.path?.(ids) ?? pattern, {
    method: method ?? 'POST',
    redirect: 'manual',
    headers: { ...headers, ...(input && !probe.form ? { 'content-type': 'application/json' } : {}) },
    ...(body === undefined ? {} : { body }),
  })
  const shown = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name))
  const text = await response.text()
  return {
    status: response.status,
    headers: shown,
    body: Object.values(ids).reduce((shortened, id) => shortened.replaceAll(id, '<id>'), text),
  }
}

const randomIds = (): Ids => {
  const id = () => newId(new Date())
  return {
    project: id(),
    analysis: id(),
    run: id(),
    organization: id(),
    slug: id().toLowerCase(),
    member: id(),
    token: id(),
    session: id(),
    webhook: id(),
    delivery: id(),
    verification: id(),
    change: id(),
    measurement: id(),
    suggestion: id(),
    generatedTest: id(),
    snapshot: id(),
    quarantine: id(),
    confirmation: id(),
    gate: id(),
  }
}

/** Returns everything that the calls could have changed or read. */
async function everythingOf(): Promise<unknown> {
  const owned = ['organizations', 'memberships', 'invitations', 'projects', 'analyses', 'test_runs', 'sessions']
  const rows = [
    ...owned,
    'webhooks',
    'webhook_deliveries',
    'verifications',
    'changes',
    'strength_measurements',
    'suggestions',
    'generated_tests',
    'quarantines',
    'test_confirmations',
    'health_changes',
    'gates',
  ].map((table) => app.dataSource.query(`SELECT * FROM ${table} ORDER BY id`))
  return Promise.all([...rows, app.dataSource.query('SELECT id, revoked_at FROM api_tokens ORDER BY id')])
}

test('the tables contain exactly all procedures and routes', () => {
  expect(Object.keys(procedures).toSorted()).toEqual(Object.keys(appRouter._def.procedures).toSorted())
  const neverCalled = () => {
    throw new Error('no request is made')
  }
  const registered = createRouter(neverCalled, neverCalled, () => {}).stack.flatMap(({ methods, path }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${String(path).replace(/\/[0-9a-f]{16}\//, '/<digest>/')}`),
  )
  expect(Object.keys(routes).toSorted()).toEqual(registered.toSorted())
})

test(
  'the id of another tenant gives the same response as a made-up id, byte for byte',
  { timeout: 300_000 },
  async () => {
    const { ids } = await createTenant()
    const { own, credentials } = await createStranger()
    const before = await everythingOf()
    for (const [entryPoint, probes] of [...Object.entries(procedures), ...Object.entries(routes)]) {
      if (typeof probes === 'string') continue
      for (const [index, probe] of probes.entries()) {
        for (const credential of credentials) {
          const madeUp = await call(entryPoint, probe, credential, randomIds(), own)
          for (const real of [ids.ofOrganization, ids.personal]) {
            const foreign = await call(entryPoint, probe, credential, real, own)
            const at = `${entryPoint} [${index}] by ${credential.name}`
            expect({ at, ...foreign }).toEqual({ at, ...madeUp })
            const expected = probe.status ?? 404
            // Pages accept only sessions.
            const known = credential.unconfined && !(probe.form && credential.name === 'token')
            if (known) expect([at, foreign.status]).toEqual([at, expected])
            else
              expect([at, [expected, 303, 400, 401, 403, 404]]).toEqual([at, expect.arrayContaining([foreign.status])])
          }
        }
      }
    }
    expect(await everythingOf()).toEqual(before)
  },
)

test('the same calls succeed for the owner', async () => {
  const reading = [
    'projects.getProject',
    'projects.funnel',
    'projects.activity',
    'projects.branches',
    'projects.trends',
    'analysis.getAnalysis',
    'suggestions.list',
    'generatedTests.list',
    'generatedTests.get',
    'testRuns.list',
    'testRuns.get',
    'testRuns.results',
    'testRuns.history',
    'testRuns.coverage',
    'testRuns.coverageByFolder',
    'testRuns.failures',
    'testRuns.log',
    'tests.getPolicy',
    'tests.getConfirmation',
    'tests.listConfirmations',
    'tests.list',
    'quarantine.list',
    'snapshots.get',
    'snapshots.list',
    'inbound.list',
    'webhooks.get',
    'webhooks.deliveries',
    'webhooks.getDelivery',
    'files.list',
    'files.createViewLink',
    'organizations.getBySlug',
    'organizations.getMembers',
    'billing.getPlan',
    'GET /api/v1/projects/:id',
    'GET /api/test-runs/:runId/status',
    'GET /api/test-runs/:runId/events',
    'GET /files/:projectId/:runId/*name',
  ]
  const { token, ids } = await createTenant()
  const credential = { name: 'token', headers: { authorization: `Bearer ${token}` }, unconfined: true }
  for (const entryPoint of [...reading, 'tokens.revoke']) {
    const probes = procedures[entryPoint] ?? routes[entryPoint]
    for (const probe of typeof probes === 'string' || !probes ? [] : probes) {
      const { status } = await call(entryPoint, probe, credential, ids.personal, ids.personal)
      expect([entryPoint, status]).toEqual([entryPoint, 200])
    }
  }
})

/** Procedures about the user, with their answers to a caller who is restricted to a project. */
const aboutTheUser: Record<string, { status: number; input?: object }> = {
  'auth.getProfile': { status: 200 },
  'auth.updateProfile': { status: 403, input: { name: 'Somebody else' } },
  'auth.listSessions': { status: 403 },
  'auth.revokeSession': { status: 403, input: { sessionToken: 'any' } },
  'auth.revokeOtherSessions': { status: 403 },
  'auth.invalidateSession': { status: 403 },
  'auth.getAuditLogs': { status: 403, input: {} },
  'tokens.list': { status: 200 },
  'tokens.current': { status: 200 },
  'organizations.list': { status: 200 },
  'organizations.create': { status: 403, input: { name: 'x', slug: 'somewhere-new' } },
  'github.getGitHubRepositories': { status: 403 },
  'github.getLink': { status: 403 },
  'GET /api/auth/list-sessions': { status: 403 },
  'POST /api/auth/revoke-session': { status: 403, input: { token: 'any' } },
  'POST /api/auth/revoke-other-sessions': { status: 403 },
}

test('a caller restricted to a project, by token or header, finds nothing else of the same user', async () => {
  const { user, token, ids } = await createTenant()
  const { personal, ofOrganization: other } = ids
  const narrow = await createTokenFor(app, { user, projectId: personal.project })
  const credentials: Credential[] = [
    { name: 'token of a project', headers: { authorization: `Bearer ${narrow}` }, unconfined: false },
    {
      name: 'token with a header',
      headers: { authorization: `Bearer ${token}`, 'x-svc-project': personal.project },
      unconfined: false,
    },
  ]
  const before = await everythingOf()
  for (const credential of credentials) {
    for (const [entryPoint, probes] of [...Object.entries(procedures), ...Object.entries(routes)]) {
      if (typeof probes === 'string') continue
      for (const [index, probe] of probes.entries()) {
        const madeUp = await call(entryPoint, probe, credential, randomIds(), personal)
        const at = `${entryPoint} [${index}] by ${credential.name}`
        expect({ at, ...(await call(entryPoint, probe, credential, other, personal)) }).toEqual({ at, ...madeUp })
      }
    }
    for (const [entryPoint, { status, input }] of Object.entries(aboutTheUser)) {
      const isQuery = /^\w+\.(?:get|list|current)/.test(entryPoint)
      const probe = input && !isQuery ? { input: () => ({ ...input }) } : {}
      const target = isQuery ? `GET /trpc/${entryPoint}?input=%7B%7D` : entryPoint
      const answer = await call(target, probe, credential, personal, personal)
      expect([entryPoint, answer.status, answer.body]).toEqual([entryPoint, status, expect.any(String)])
      if (status === 200)
        expect([entryPoint, answer.body]).not.toEqual([entryPoint, expect.stringContaining(other.organization)])
    }
  }
  expect(await everythingOf()).toEqual(before)
})

test('X-Svc-Project is applied or refused, never ignored', async () => {
  const { token, cookie, ids } = await createTenant()
  const { project } = ids.personal
  const answer = async (headers: Record<string, string>) => {
    const response = await app.fetch('/api/v1/projects', { headers })
    return [response.status, await response.text()]
  }
  const bearer = { authorization: `Bearer ${token}` }
  expect(await answer({ ...bearer, 'x-svc-project': project })).toEqual([200, expect.stringContaining(project)])
  for (const wrong of ['', ' ', 'x', `${project}, ${project}`]) {
    expect(await answer({ ...bearer, 'x-svc-project': wrong })).toEqual([400, expect.stringContaining('X-Svc-Project')])
  }
  const session = await answer({ cookie, origin: app.url, 'x-svc-project': project })
  expect(session).toEqual([400, expect.stringContaining('requires an API token')])
})
