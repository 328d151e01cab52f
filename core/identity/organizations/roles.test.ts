import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TRPCClient } from '@trpc/client'
import type { AnalysisResult } from '../../../engines/analysis/schema.ts'
import type { UserRow } from '../users/entity.ts'
import { newId } from '../../base/ids.ts'
import type { AppRouter } from '../../router.ts'
import { createTestApp, type TestApp } from '../../testing/app.ts'
import {
  createMembershipFor,
  createOrganizationFor,
  createProjectFor,
  createRunFor,
  createTokenFor,
  createUser,
} from '../../testing/factories.ts'
import { createGeneratedTestFor } from '../../generated-tests/testing.ts'
import { createConfirmationFor } from '../../confirmations/testing.ts'
import { createQuarantineFor } from '../../quarantine/testing.ts'
import { createSuggestionFor } from '../../suggestions/testing.ts'
import { createVerificationFor } from '../../verifications/testing.ts'
import { createDeliveryFor, createWebhookFor } from '../../webhooks/testing.ts'
import { InvitationEntity } from './entity.ts'
import { Role } from './schema.ts'

/** The records for one operation; created anew for each, because most operations change them. */
interface Scene {
  organizationId: string
  slug: string
  projectId: string
  analysisId: string
  /** A run that ended. */
  runId: string
  webhookId: string
  /** A webhook for the whole organization. */
  wideWebhookId: string
  deliveryId: string
  verificationId: string
  suggestionId: string
  generatedTestId: string
  quarantineId: string
  confirmationId: string
  /** The membership of the caller; a random id if the caller is not a member. */
  own: string
  /** The other members, by role. */
  viewer: string
  admin: string
  owner: string
  invited: string
}

interface Operation {
  /** Lower roles get 403, and users outside the organization get 404. */
  minRole: Role
  run: (client: TRPCClient<AppRouter>, scene: Scene) => Promise<unknown>
  /** The error that allowed callers get after the permission check, if the call does not succeed. */
  failsWith?: string
}

const noTest = '00000000-0000-4000-8000-000000000000'
const analysis: AnalysisResult = {
  commitSha: 'c'.repeat(40),
  summary: { totalFiles: 0, languages: {}, frameworks: [], hasTests: false, testFrameworks: [] },
  files: [],
  directories: [],
  packageInfo: { name: 'x' },
}
const elsewhere = 'https://127.0.0.1:9/elsewhere'
const hook = { url: 'https://receiver.example.com/hook', events: ['project.updated' as const] }
const someTest = { filePath: 'a.test.js', code: 'x' }
const someone = () => `${newId(new Date()).toLowerCase()}@example.com`

/** The minimum role of each operation. First the operations that change nothing, */
const reading: Record<string, Operation> = {
  'read a project': { minRole: 'viewer', run: (c, s) => c.projects.getProject.query(s) },
  'read the settings': { minRole: 'viewer', run: (c, s) => c.projects.getProjectSettings.query(s) },
  'read the trends of a branch': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.projects.trends.query({ projectId }),
  },
  'list branches with runs': { minRole: 'viewer', run: (c, { projectId }) => c.projects.branches.query({ projectId }) },
  'read the activity': { minRole: 'viewer', run: (c, { projectId }) => c.projects.activity.query({ projectId }) },
  'read the funnel of tests': { minRole: 'viewer', run: (c, { projectId }) => c.projects.funnel.query({ projectId }) },
  'list analyses': { minRole: 'viewer', run: (c, s) => c.projects.getProjectAnalyses.query(s) },
  'read an analysis': { minRole: 'viewer', run: (c, s) => c.analysis.getAnalysis.query(s) },
  'list suggestions': { minRole: 'viewer', run: (c, { projectId }) => c.suggestions.list.query({ projectId }) },
  'list generated tests': { minRole: 'viewer', run: (c, { projectId }) => c.generatedTests.list.query({ projectId }) },
  'read a generated test': {
    minRole: 'viewer',
    run: (c, { generatedTestId }) => c.generatedTests.get.query({ generatedTestId }),
  },
  'list runs': { minRole: 'viewer', run: (c, s) => c.testRuns.list.query(s) },
  'read a run': { minRole: 'viewer', run: (c, s) => c.testRuns.get.query(s) },
  'read the results of a run': { minRole: 'viewer', run: (c, s) => c.testRuns.results.query(s) },
  'read the history of a test': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.testRuns.history.query({ projectId, search: 'a' }),
  },
  'read the coverage of a run': { minRole: 'viewer', run: (c, s) => c.testRuns.coverage.query(s) },
  'read the coverage of the folders of a run': {
    minRole: 'viewer',
    run: (c, s) => c.testRuns.coverageByFolder.query(s),
  },
  'read the failures of a run': { minRole: 'viewer', run: (c, s) => c.testRuns.failures.query(s) },
  'read the log of a run': { minRole: 'viewer', run: (c, s) => c.testRuns.log.query(s) },
  'list verifications': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.tests.listVerifications.query({ projectId }),
  },
  'read a verification': {
    minRole: 'viewer',
    run: (c, { verificationId }) => c.tests.getVerification.query({ verificationId }),
  },
  'read a file of the repository': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.code.getFile.query({ projectId, path: 'a.js', commitSha: 'c'.repeat(40) }),
    // The repository does not exist.
    failsWith: 'CONFLICT',
  },
  'read lines of a file': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.code.getLines.query({ projectId, path: 'a.js', commitSha: 'c'.repeat(40) }),
    failsWith: 'CONFLICT',
  },
  'list files of the repository': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.code.listFiles.query({ projectId, commitSha: 'c'.repeat(40) }),
    failsWith: 'CONFLICT',
  },
  search: { minRole: 'viewer', run: (c, { projectId }) => c.search.find.query({ projectId, query: 'a' }) },
  'list files': { minRole: 'viewer', run: (c, s) => c.files.list.query(s) },
  'list webhooks': { minRole: 'viewer', run: (c, s) => c.webhooks.list.query({ projectId: s.projectId }) },
  'list webhooks of the organization': {
    minRole: 'viewer',
    run: (c, s) => c.webhooks.list.query({ organizationId: s.organizationId }),
  },
  'read a webhook': { minRole: 'viewer', run: (c, s) => c.webhooks.get.query(hookOf(s)) },
  'list the deliveries of a webhook': { minRole: 'viewer', run: (c, s) => c.webhooks.deliveries.query(hookOf(s)) },
  'read a delivery of a webhook': { minRole: 'viewer', run: (c, s) => c.webhooks.getDelivery.query(deliveryOf(s)) },
  'read the connection to the code host': { minRole: 'viewer', run: (c, s) => c.codeHost.getConnection.query(s) },
  'list inbound deliveries': { minRole: 'viewer', run: (c, s) => c.inbound.list.query(s) },
  'read the organization': { minRole: 'viewer', run: (c, s) => c.organizations.getBySlug.query(s) },
  'read the members': { minRole: 'viewer', run: (c, s) => c.organizations.getMembers.query(s) },
  'read the plan': { minRole: 'viewer', run: (c, s) => c.billing.getPlan.query(s) },
  'make a token for the organization': {
    minRole: 'viewer',
    run: (c, s) => c.tokens.create.mutate({ name: 'x', scopes: ['projects:read'], organizationId: s.organizationId }),
  },
}

/** then those that change something. */
const changing: Record<string, Operation> = {
  leave: { minRole: 'viewer', run: (c, s) => c.organizations.leave.mutate(s) },
  'remove oneself': {
    minRole: 'viewer',
    run: (c, s) => c.organizations.removeMember.mutate({ ...s, membershipId: s.own }),
  },
  'create a project': {
    minRole: 'member',
    run: (c, s) => c.projects.createProject.mutate({ ...s, name: 'x', repository: elsewhere, branch: 'main' }),
  },
  'update a project': { minRole: 'member', run: (c, s) => c.projects.updateProject.mutate({ ...s, name: 'x' }) },
  'start an analysis': { minRole: 'member', run: (c, s) => c.analysis.startAnalysis.mutate(s) },
  'wait for an analysis': {
    minRole: 'member',
    run: (c, s) => c.analysis.analyzeRepository.mutate({ ...s, repoUrl: elsewhere }),
    failsWith: 'BAD_REQUEST',
  },
  'trigger a run': { minRole: 'member', run: (c, { projectId }) => c.testRuns.trigger.mutate({ projectId }) },
  'plan a run': {
    minRole: 'member',
    run: (c, { projectId }) => c.testRuns.plan.mutate({ projectId }),
    // The repository does not exist.
    failsWith: 'BAD_REQUEST',
  },
  'rerun the failed tests': {
    minRole: 'member',
    run: (c, s) => c.testRuns.rerunFailed.mutate(s),
    // The delivery has not failed.
    failsWith: 'CONFLICT',
  },
  'cancel a run': { minRole: 'member', run: (c, s) => c.testRuns.cancel.mutate(s) },
  'verify a test': {
    minRole: 'member',
    run: (c, { projectId }) => c.tests.verify.mutate({ projectId, ...someTest }),
  },
  'verify tests': {
    minRole: 'member',
    run: (c, { projectId }) => c.tests.verifyMany.mutate({ projectId, tests: [someTest] }),
  },
  'cancel a verification': {
    minRole: 'member',
    run: (c, { verificationId }) => c.tests.cancelVerification.mutate({ verificationId }),
  },
  'ask for suggestions': {
    minRole: 'member',
    run: (c, s) => c.analysis.suggestTests.mutate({ ...s, analysisOverride: analysis }),
    // The AI service does not run.
    failsWith: 'INTERNAL_SERVER_ERROR',
  },
  'have tests written': {
    minRole: 'member',
    run: (c, { projectId }) => c.analysis.generateTests.mutate({ projectId, target: { path: 'a.js' } }),
    // The analysis has no result.
    failsWith: 'INTERNAL_SERVER_ERROR',
  },
  'dismiss a suggestion': {
    minRole: 'member',
    run: (c, { suggestionId }) => c.suggestions.dismiss.mutate({ suggestionId }),
  },
  'dismiss a generated test': {
    minRole: 'member',
    run: (c, { generatedTestId }) => c.generatedTests.dismiss.mutate({ generatedTestId }),
  },

  'select tests': {
    minRole: 'member',
    // The repository does not exist.
    failsWith: 'BAD_REQUEST',
    run: (c, { projectId }) => c.testRuns.select.mutate({ projectId, head: 'a'.repeat(40) }),
  },
  'read how tests are selected': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.selection.get.query({ projectId }),
  },
  'list what selections would have done': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.selection.list.query({ projectId }),
  },
  'name tests that always run': {
    minRole: 'member',
    run: (c, { projectId }) => c.selection.update.mutate({ projectId, policy: { alwaysRun: ['test/smoke/**'] } }),
  },
  'switch selections off': {
    minRole: 'admin',
    run: (c, { projectId }) => c.selection.update.mutate({ projectId, policy: { mode: 'off' } }),
  },
  'check a gate': {
    minRole: 'member',
    run: (c, { projectId }) => c.gate.check.mutate({ projectId, head: 'a'.repeat(40) }),
  },
  'list gates': { minRole: 'viewer', run: (c, { projectId }) => c.gate.list.query({ projectId }) },
  'end the uploads of a commit': {
    minRole: 'member',
    run: (c, { projectId }) => c.gate.finishUploads.mutate({ projectId, commitSha: 'a'.repeat(40) }),
  },
  'read the policy of the gate': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.gate.getPolicy.query({ projectId }),
  },
  'preview a policy of the gate': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.gate.previewPolicy.query({ projectId, policy: {} }),
  },
  'change the rules of the gate': {
    minRole: 'member',
    run: (c, { projectId }) => c.gate.updatePolicy.mutate({ projectId, policy: { rules: { tolerance: 1 } } }),
  },
  'switch the gate on': {
    minRole: 'admin',
    run: (c, { projectId }) => c.gate.updatePolicy.mutate({ projectId, policy: { mode: 'off' } }),
  },

  'list tests': { minRole: 'viewer', run: (c, { projectId }) => c.tests.list.query({ projectId }) },
  'read a test': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.tests.get.query({ projectId, testId: noTest }),
    failsWith: 'NOT_FOUND',
  },
  'read the policy of tests': { minRole: 'viewer', run: (c, { projectId }) => c.tests.getPolicy.query({ projectId }) },
  'preview a policy': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.tests.previewPolicy.query({ projectId, health: {} }),
  },
  'change the rules of health': {
    minRole: 'member',
    run: (c, { projectId }) => c.tests.updatePolicy.mutate({ projectId, health: { quietDays: 3 } }),
  },
  'change who grants quarantine': {
    minRole: 'admin',
    run: (c, { projectId }) => c.tests.updatePolicy.mutate({ projectId, quarantine: { grantedBy: 'member' } }),
  },
  'read the speed of tests': { minRole: 'viewer', run: (c, { projectId }) => c.tests.speed.query({ projectId }) },
  'plan shards': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.testRuns.shards.query({ projectId, count: 2 }),
  },
  'merge tests': {
    minRole: 'member',
    run: (c, { projectId }) => c.tests.merge.mutate({ projectId, from: noTest, into: noTest.replace('0', '1') }),
    failsWith: 'NOT_FOUND',
  },
  'confirm a fix': {
    minRole: 'member',
    run: (c, { projectId }) => c.tests.confirmFix.mutate({ projectId, testId: noTest }),
    failsWith: 'NOT_FOUND',
  },
  'read a confirmation': {
    minRole: 'viewer',
    run: (c, { confirmationId }) => c.tests.getConfirmation.query({ confirmationId }),
  },
  'list confirmations': {
    minRole: 'viewer',
    run: (c, { projectId }) => c.tests.listConfirmations.query({ projectId }),
  },
  'cancel a confirmation': {
    minRole: 'member',
    run: (c, { confirmationId }) => c.tests.cancelConfirmation.mutate({ confirmationId }),
  },
  'request quarantine': {
    minRole: 'member',
    run: (c, { projectId }) => c.quarantine.request.mutate({ projectId, testId: noTest, reason: 'x' }),
    failsWith: 'NOT_FOUND',
  },
  'list quarantines': { minRole: 'viewer', run: (c, { projectId }) => c.quarantine.list.query({ projectId }) },
  'grant quarantine': { minRole: 'admin', run: (c, { quarantineId }) => c.quarantine.grant.mutate({ quarantineId }) },
  'release quarantine': {
    minRole: 'member',
    run: (c, { quarantineId }) => c.quarantine.release.mutate({ quarantineId }),
  },
  'delete a project': { minRole: 'admin', run: (c, s) => c.projects.deleteProject.mutate(s) },
  'change the settings': {
    minRole: 'admin',
    run: (c, s) => c.projects.updateProjectSettings.mutate({ ...s, settings: { timeoutSeconds: 5 } }),
  },
  'set a secret': {
    minRole: 'admin',
    run: (c, s) => c.projects.updateProjectSettings.mutate({ ...s, settings: { environment: { A: 'b' } } }),
  },
  'rotate the inbound secret': { minRole: 'admin', run: (c, s) => c.projects.rotateInboundSecret.mutate(s) },
  'set the connection to the code host': {
    minRole: 'admin',
    // The repository is on the server's own disk.
    failsWith: 'BAD_REQUEST',
    run: (c, s) =>
      c.codeHost.setConnection.mutate({
        projectId: s.projectId,
        kind: 'gitlab',
        token: 'glpat-token-of-tests',
      }),
  },
  'remove the connection to the code host': {
    minRole: 'admin',
    run: (c, s) => c.codeHost.removeConnection.mutate(s),
  },
  'create a webhook': {
    minRole: 'admin',
    run: (c, s) => c.webhooks.create.mutate({ ...hook, projectId: s.projectId }),
  },
  'create a webhook for the organization': {
    minRole: 'admin',
    run: (c, s) => c.webhooks.create.mutate({ ...hook, organizationId: s.organizationId }),
  },
  'update a webhook': { minRole: 'admin', run: (c, s) => c.webhooks.update.mutate({ ...hookOf(s), active: false }) },
  'update a webhook of the organization': {
    minRole: 'admin',
    run: (c, s) => c.webhooks.update.mutate({ webhookId: s.wideWebhookId, active: false }),
  },
  'pause a webhook': { minRole: 'admin', run: (c, s) => c.webhooks.pause.mutate(hookOf(s)) },
  'resume a webhook': { minRole: 'admin', run: (c, s) => c.webhooks.resume.mutate(hookOf(s)) },
  "rotate a webhook's secret": { minRole: 'admin', run: (c, s) => c.webhooks.rotateSecret.mutate(hookOf(s)) },
  'recover missed deliveries': {
    minRole: 'admin',
    run: (c, s) => c.webhooks.recover.mutate({ ...hookOf(s), since: '2026-01-01T00:00:00Z' }),
  },
  'retry a delivery': { minRole: 'admin', run: (c, s) => c.webhooks.retryDelivery.mutate(deliveryOf(s)) },
  'test a webhook': { minRole: 'admin', run: (c, s) => c.webhooks.test.mutate({ ...hookOf(s), waitSeconds: 0 }) },
  'delete a webhook': { minRole: 'admin', run: (c, s) => c.webhooks.delete.mutate(hookOf(s)) },
  'update the organization': { minRole: 'admin', run: (c, s) => c.organizations.update.mutate({ ...s, name: 'x' }) },
  'invite an admin': {
    minRole: 'admin',
    run: (c, s) => c.organizations.inviteMember.mutate({ ...s, userToInviteEmail: someone(), role: 'admin' }),
  },
  'promote to admin': {
    minRole: 'admin',
    run: (c, s) => c.organizations.updateMemberRole.mutate({ ...s, membershipId: s.viewer, role: 'admin' }),
  },
  'demote an admin': {
    minRole: 'admin',
    run: (c, s) => c.organizations.updateMemberRole.mutate({ ...s, membershipId: s.admin, role: 'viewer' }),
  },
  'remove an admin': {
    minRole: 'admin',
    run: (c, s) => c.organizations.removeMember.mutate({ ...s, membershipId: s.admin }),
  },
  'remove a viewer': {
    minRole: 'admin',
    run: (c, s) => c.organizations.removeMember.mutate({ ...s, membershipId: s.viewer }),
  },
  'take an invitation back': {
    minRole: 'admin',
    run: (c, s) => c.organizations.removeMember.mutate({ ...s, membershipId: s.invited }),
  },

  'revoke an invitation': {
    minRole: 'admin',
    run: (c, s) => c.organizations.revokeInvitation.mutate({ ...s, invitationId: s.invited }),
  },
  'send an invitation again': {
    minRole: 'admin',
    run: (c, s) => c.organizations.resendInvitation.mutate({ ...s, invitationId: s.invited }),
  },
  'invite an owner': {
    minRole: 'owner',
    run: (c, s) => c.organizations.inviteMember.mutate({ ...s, userToInviteEmail: someone(), role: 'owner' }),
  },
  'promote to owner': {
    minRole: 'owner',
    run: (c, s) => c.organizations.updateMemberRole.mutate({ ...s, membershipId: s.admin, role: 'owner' }),
  },
  'promote oneself to owner': {
    minRole: 'owner',
    run: (c, s) => c.organizations.updateMemberRole.mutate({ ...s, membershipId: s.own, role: 'owner' }),
  },
  'demote an owner': {
    minRole: 'owner',
    run: (c, s) => c.organizations.updateMemberRole.mutate({ ...s, membershipId: s.owner, role: 'member' }),
  },
  'remove an owner': {
    minRole: 'owner',
    run: (c, s) => c.organizations.removeMember.mutate({ ...s, membershipId: s.owner }),
  },
  'delete the organization': { minRole: 'owner', run: (c, s) => c.organizations.delete.mutate(s) },
}

const hookOf = ({ webhookId }: { webhookId: string }) => ({ webhookId })
const deliveryOf = ({ deliveryId }: { deliveryId: string }) => ({ deliveryId })

const operations = { ...reading, ...changing }

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

type Credential = 'token' | 'token of the organization' | 'token of the project'

async function createScene(role: Role | undefined, credential: Credential) {
  const { id: organizationId, slug } = await createOrganizationFor(app)
  const { id: projectId } = await createProjectFor(app, { organizationId, repository: 'https://127.0.0.1:9/here' })
  const user = await createUser(app)
  const join = async (as: Role, who?: UserRow) =>
    (await createMembershipFor(app, { organizationId, role: as, ...(who ? { user: who } : {}) })).id
  const [analysisId, invited] = [newId(new Date()), newId(new Date())]
  const now = new Date()
  await app.dataSource.query(
    `INSERT INTO analyses (id, project_id, status, commit_sha, created_at) VALUES ($1, $2, 'completed', $3, $4)`,
    [analysisId, projectId, 'a'.repeat(40), now],
  )
  const { id: runId } = await createRunFor(app, { projectId, status: 'COMPLETED' })
  const { id: webhookId } = await createWebhookFor(app, { userId: user.id, organizationId, projectId })
  const { id: wideWebhookId } = await createWebhookFor(app, { userId: user.id, organizationId })
  const { id: deliveryId } = await createDeliveryFor(app, { webhookId })
  const { id: verificationId } = await createVerificationFor(app, { projectId })
  const { id: suggestionId } = await createSuggestionFor(app, { projectId })
  const { id: generatedTestId } = await createGeneratedTestFor(app, { projectId })
  const { id: confirmationId } = await createConfirmationFor(app, { projectId })
  const { id: quarantineId } = await createQuarantineFor(app, { projectId })
  const invitation = { id: invited, organizationId, email: someone(), role: 'viewer' as const, createdAt: now }
  await app.dataSource.getRepository(InvitationEntity).insert(invitation)
  const scene: Scene = {
    organizationId,
    slug,
    projectId,
    analysisId,
    runId,
    webhookId,
    wideWebhookId,
    deliveryId,
    verificationId,
    suggestionId,
    quarantineId,
    confirmationId,
    generatedTestId,
    invited,
    own: role ? await join(role, user) : newId(now),
    viewer: await join('viewer'),
    admin: await join('admin'),
    owner: await join('owner'),
  }
  const confined = {
    token: {},
    'token of the organization': { organizationId },
    'token of the project': { projectId },
  }[credential]
  return { scene, client: app.client(await createTokenFor(app, { user, ...confined })) }
}

/** Runs every operation of the table, each with its own records. */
async function runAll(role: Role | undefined, credential: Credential): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {}
  let { client, scene } = await createScene(role, credential)
  for (const [name, { run }] of Object.entries(operations)) {
    outcomes[name] = await outcome(run(client, scene))
    if (outcomes[name] === 'done' && name in changing) ({ client, scene } = await createScene(role, credential))
  }
  return outcomes
}

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: Error & { data?: { code?: string } }) => error.data?.code ?? error.message,
  )

const roles = [...Role.options, undefined]

test.each(roles)('%s: has exactly the rights of the table, also with a token of the organization', async (role) => {
  const expected = Object.entries(operations).map(([name, { minRole, failsWith = 'done' }]) => {
    if (role === undefined) return [name, 'NOT_FOUND']
    return [name, roles.indexOf(role) >= roles.indexOf(minRole) ? failsWith : 'FORBIDDEN']
  })
  for (const credential of ['token', 'token of the organization'] as const) {
    const outcomes = await runAll(role, credential)
    expect({ credential, ...outcomes }).toEqual({ credential, ...Object.fromEntries(expected) })
  }
})

const ofProject = [
  'select tests',
  'read how tests are selected',
  'list what selections would have done',
  'name tests that always run',
  'switch selections off',
  'check a gate',
  'list gates',
  'end the uploads of a commit',
  'read the policy of the gate',
  'preview a policy of the gate',
  'change the rules of the gate',
  'switch the gate on',
  'read the connection to the code host',
  'set the connection to the code host',
  'remove the connection to the code host',
  'read a project',
  'read the settings',
  'read the trends of a branch',
  'list branches with runs',
  'read the activity',
  'read the funnel of tests',
  'list analyses',
  'read an analysis',
  'list runs',
  'read a run',
  'read the results of a run',
  'read the history of a test',
  'read the coverage of a run',
  'read the coverage of the folders of a run',
  'read the failures of a run',
  'read the log of a run',
  'list suggestions',
  'list generated tests',
  'read a generated test',
  'list verifications',
  'read a verification',
  'read a file of the repository',
  'read lines of a file',
  'list files of the repository',
  'search',
  'list files',
  'list webhooks',
  'read a webhook',
  'list the deliveries of a webhook',
  'read a delivery of a webhook',
  'list inbound deliveries',
  'update a project',
  'start an analysis',
  'wait for an analysis',
  'trigger a run',
  'plan a run',
  'rerun the failed tests',
  'cancel a run',
  'verify a test',
  'verify tests',
  'cancel a verification',
  'ask for suggestions',
  'have tests written',
  'dismiss a suggestion',
  'dismiss a generated test',
  'list tests',
  'read a test',
  'read the policy of tests',
  'preview a policy',
  'change the rules of health',
  'change who grants quarantine',
  'read the speed of tests',
  'plan shards',
  'merge tests',
  'confirm a fix',
  'read a confirmation',
  'list confirmations',
  'cancel a confirmation',
  'request quarantine',
  'list quarantines',
  'grant quarantine',
  'release quarantine',
  'delete a project',
  'change the settings',
  'set a secret',
  'rotate the inbound secret',
  'create a webhook',
  'update a webhook',
  'pause a webhook',
  'resume a webhook',
  "rotate a webhook's secret",
  'recover missed deliveries',
  'retry a delivery',
  'test a webhook',
  'delete a webhook',
]

test.each(['viewer', 'owner'] as const)(
  'a token of a project has the rights of a %s in that project, and no others',
  async (role) => {
    const outcomes = await runAll(role, 'token of the project')
    for (const [name, { minRole, failsWith = 'done' }] of Object.entries(operations)) {
      const allowed = role === 'owner' || minRole === 'viewer'
      // It can be restricted to the organization too, and stays restricted to its project.
      const makesLike = name === 'make a token for the organization' ? ['done'] : []
      const expected = ofProject.includes(name)
        ? [allowed ? failsWith : 'FORBIDDEN']
        : ['NOT_FOUND', 'FORBIDDEN', ...makesLike]
      expect([name, expected]).toEqual([name, expect.arrayContaining([outcomes[name]])])
    }
  },
)

test('a refused call changes nothing', async () => {
  const { client, scene } = await createScene('viewer', 'token')
  const rows = () =>
    app.dataSource.query(
      `SELECT (SELECT jsonb_agg(to_jsonb(o)) FROM organizations o WHERE id = $1) AS organization,
              (SELECT jsonb_agg(to_jsonb(m) ORDER BY id) FROM memberships m WHERE organization_id = $1) AS members,
              (SELECT jsonb_agg(to_jsonb(i) ORDER BY id) FROM invitations i WHERE organization_id = $1) AS invitations,
              (SELECT jsonb_agg(to_jsonb(p) ORDER BY id) FROM projects p WHERE organization_id = $1) AS projects,
              (SELECT count(*) FROM analyses WHERE project_id = $2) AS analyses,
              (SELECT jsonb_agg(to_jsonb(r) ORDER BY id) FROM test_runs r WHERE project_id = $2) AS runs,
              (SELECT jsonb_agg(to_jsonb(s) ORDER BY id) FROM suggestions s WHERE project_id = $2) AS suggestions,
              (SELECT jsonb_agg(to_jsonb(g) ORDER BY id) FROM generated_tests g WHERE project_id = $2) AS generated,
              (SELECT jsonb_agg(to_jsonb(w) ORDER BY id) FROM webhooks w WHERE organization_id = $1) AS webhooks,
              (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.id) FROM webhook_deliveries d JOIN webhooks w ON w.id = webhook_id
                WHERE w.organization_id = $1) AS deliveries`,
      [scene.organizationId, scene.projectId],
    )
  const before = await rows()
  for (const { minRole, run } of Object.values(operations)) {
    if (minRole !== 'viewer') expect(await outcome(run(client, scene))).toBe('FORBIDDEN')
  }
  expect(await rows()).toEqual(before)
})
