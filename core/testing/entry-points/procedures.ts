import { type Probe, reasons, someTestId } from './probe.ts'

const { own, open } = reasons

const byProject: Probe[] = [{ input: ({ project: projectId }) => ({ projectId }) }]
const byOrganization = (more: object = {}): Probe => ({
  input: ({ organization: organizationId }) => ({ organizationId, ...more }),
})
const ofProjectAndOrganization = (more: object = {}): Probe[] => [
  byOrganization(more),
  { input: ({ project: projectId }) => ({ projectId, ...more }) },
  { input: ({ project: projectId, organization: organizationId }) => ({ projectId, organizationId, ...more }) },
  {
    input: ({ organization: organizationId }, { project: projectId }) => ({ projectId, organizationId, ...more }),
    status: 400,
  },
  { input: ({ project: projectId }, { organization: organizationId }) => ({ projectId, organizationId, ...more }) },
]
const ofOthersIn = (more: object = {}): Probe[] => [
  { input: ({ organization: organizationId, member: membershipId }) => ({ organizationId, membershipId, ...more }) },
  { input: ({ organization: organizationId }, own) => ({ organizationId, membershipId: own.member, ...more }) },
  { input: ({ member: membershipId }, own) => ({ organizationId: own.organization, membershipId, ...more }) },
]
const ofInvitationIn: Probe[] = [
  { input: ({ organization: organizationId, member: invitationId }) => ({ organizationId, invitationId }) },
  { input: ({ member: invitationId }, { organization: organizationId }) => ({ organizationId, invitationId }) },
]
const byWebhook = (more: object = {}): Probe[] => [{ input: ({ webhook: webhookId }) => ({ webhookId, ...more }) }]
const byDelivery: Probe[] = [{ input: ({ delivery: deliveryId }) => ({ deliveryId }) }]
const byRun: Probe[] = [{ input: ({ run: runId }) => ({ runId }) }]
const byVerification: Probe[] = [{ input: ({ verification: verificationId }) => ({ verificationId }) }]
const bySuggestion: Probe[] = [{ input: ({ suggestion: suggestionId }) => ({ suggestionId }) }]
const byGeneratedTest: Probe[] = [{ input: ({ generatedTest: generatedTestId }) => ({ generatedTestId }) }]
const bySnapshot: Probe[] = [{ input: ({ snapshot: snapshotId }) => ({ snapshotId }) }]
/** A snapshot of another tenant in a project of the caller. */
const ofSnapshot = (more: object = {}): Probe => ({
  input: ({ snapshot: snapshotId }, { project: projectId }) => ({ projectId, snapshotId, ...more }),
})
const byQuarantine: Probe[] = [{ input: ({ quarantine: quarantineId }) => ({ quarantineId }) }]
const newTest = { filePath: 'a.test.js', code: 'x' }
const newProject = { name: 'x', repository: 'https://127.0.0.1:9/a', branch: 'main' }
const newWebhook = { url: 'https://receiver.example.com/hook', events: ['project.updated'] }
const newToken = { name: 'x', scopes: ['projects:read'] }

/** For every procedure, how to call it with ids of another tenant, or why it takes none. */
export const procedures: Record<string, string | Probe[]> = {
  health: open,
  'auth.getSession': own,
  'auth.getProfile': own,
  'auth.updateProfile': own,
  'auth.listSessions': own,
  'auth.revokeSession': [{ input: ({ session }) => ({ sessionToken: session }) }],
  'auth.revokeOtherSessions': own,
  'auth.invalidateSession': own,
  'auth.getAuditLogs': own,
  'tokens.create': ofProjectAndOrganization(newToken),
  'tokens.list': own,
  'tokens.revoke': [{ input: ({ token: tokenId }) => ({ tokenId }) }],
  'tokens.current': own,
  'organizations.list': own,
  'organizations.getBySlug': [{ input: ({ slug }) => ({ slug }) }],
  'organizations.getMembers': [byOrganization()],
  'organizations.create': 'takes a new slug, and may reveal that a slug is taken',
  'organizations.update': [byOrganization({ name: 'x' })],
  'organizations.delete': [byOrganization()],
  'organizations.inviteMember': [byOrganization({ userToInviteEmail: 'x@example.com', role: 'member' })],
  'organizations.updateMemberRole': ofOthersIn({ role: 'admin' }),
  'organizations.removeMember': ofOthersIn(),
  'organizations.leave': [byOrganization()],
  'organizations.revokeInvitation': ofInvitationIn,
  'organizations.resendInvitation': ofInvitationIn,
  'projects.getProjects': [{ ...byOrganization(), status: 200 }],
  'projects.getProject': byProject,
  'projects.getProjectSettings': byProject,
  'projects.getProjectAnalyses': byProject,
  'projects.getLatestProjectAnalysis': byProject,
  'projects.overview': [{ ...byOrganization(), status: 200 }],
  'projects.trends': byProject,
  'projects.branches': byProject,
  'projects.activity': byProject,
  'projects.funnel': byProject,
  'projects.createProject': [byOrganization(newProject)],
  'projects.updateProject': [{ input: ({ project: projectId }) => ({ projectId, name: 'x' }) }],
  'projects.deleteProject': byProject,
  'projects.updateProjectSettings': [
    { input: ({ project: projectId }) => ({ projectId, settings: { timeoutSeconds: 1, environment: { A: 'b' } } }) },
  ],
  'projects.rotateInboundSecret': byProject,
  'analysis.analyzeRepository': [...byProject, ofSnapshot()],
  'analysis.startAnalysis': [...byProject, ofSnapshot()],
  'analysis.getAnalysis': [{ input: ({ analysis: analysisId }) => ({ analysisId, waitSeconds: 1 }) }],
  'analysis.listCandidates': byProject,
  'analysis.getMeasuredCoverage': byProject,
  'analysis.suggestTests': [...byProject, ofSnapshot()],
  'analysis.generateTests': [
    { input: ({ project: projectId }) => ({ projectId, target: { path: 'a.js' } }) },
    { input: ({ project: projectId, suggestion: suggestionId }) => ({ projectId, suggestionId }) },
    { input: ({ suggestion: suggestionId }, { project: projectId }) => ({ projectId, suggestionId }) },
    ofSnapshot({ target: { path: 'a.js' } }),
  ],
  'suggestions.list': byProject,
  'suggestions.dismiss': bySuggestion,
  'generatedTests.list': byProject,
  'generatedTests.get': byGeneratedTest,
  'generatedTests.dismiss': byGeneratedTest,
  'testRuns.trigger': [...byProject, ofSnapshot()],
  'testRuns.plan': [...byProject, ofSnapshot()],
  'testRuns.list': byProject,
  'testRuns.get': [{ input: ({ run: runId }) => ({ runId, waitSeconds: 1 }) }],
  'testRuns.cancel': byRun,
  'testRuns.rerunFailed': byRun,
  'testRuns.results': byRun,
  'testRuns.history': [{ input: ({ project: projectId }) => ({ projectId, search: 'a' }) }],
  'testRuns.coverage': byRun,
  'testRuns.coverageByFolder': byRun,
  'testRuns.failures': byRun,
  'testRuns.log': byRun,
  'snapshots.findBase': [{ input: ({ project: projectId }) => ({ projectId, commits: [] }) }],
  'snapshots.create': [
    { input: ({ project: projectId }) => ({ projectId, treeSha: 'a'.repeat(40), pack: 'UEFDSw==' }) },
  ],
  'snapshots.get': bySnapshot,
  'snapshots.list': byProject,
  'snapshots.delete': bySnapshot,
  'tests.verify': [
    { input: ({ project: projectId }) => ({ projectId, ...newTest }) },
    { input: ({ generatedTest: generatedTestId }, { project: projectId }) => ({ projectId, generatedTestId }) },
    { input: ({ suggestion: suggestionId }, { project: projectId }) => ({ projectId, suggestionId, ...newTest }) },
    ofSnapshot(newTest),
  ],
  'tests.verifyMany': [
    { input: ({ project: projectId }) => ({ projectId, tests: [newTest] }) },
    ofSnapshot({ tests: [newTest] }),
  ],
  'tests.getVerification': [{ input: ({ verification: verificationId }) => ({ verificationId, waitSeconds: 1 }) }],
  'tests.listVerifications': byProject,
  'tests.cancelVerification': byVerification,
  'tests.list': byProject,
  'tests.get': [{ input: ({ project: projectId }) => ({ projectId, testId: someTestId }) }],
  'tests.getPolicy': byProject,
  'tests.updatePolicy': [{ input: ({ project: projectId }) => ({ projectId, health: { quietDays: 3 } }) }],
  'tests.previewPolicy': [{ input: ({ project: projectId }) => ({ projectId, health: {} }) }],
  'tests.merge': [
    {
      input: ({ project: projectId }) => ({
        projectId,
        from: someTestId,
        into: '00000000-0000-4000-8000-000000000001',
      }),
    },
  ],
  'tests.speed': byProject,
  'testRuns.shards': [{ input: ({ project: projectId }) => ({ projectId, count: 2 }) }],
  'tests.confirmFix': [
    { input: ({ project: projectId }) => ({ projectId, testId: someTestId }) },
    ofSnapshot({ testId: someTestId }),
  ],
  'tests.getConfirmation': [{ input: ({ confirmation: confirmationId }) => ({ confirmationId, waitSeconds: 1 }) }],
  'tests.listConfirmations': byProject,
  'tests.cancelConfirmation': [{ input: ({ confirmation: confirmationId }) => ({ confirmationId }) }],
  'quarantine.request': [{ input: ({ project: projectId }) => ({ projectId, testId: someTestId, reason: 'x' }) }],
  'quarantine.grant': byQuarantine,
  'quarantine.release': byQuarantine,
  'quarantine.list': byProject,
  'changes.verify': byProject,
  'changes.get': [{ input: ({ change: changeId }) => ({ changeId, waitSeconds: 1 }) }],
  'changes.list': byProject,
  'changes.cancel': [{ input: ({ change: changeId }) => ({ changeId }) }],
  'gate.check': [...byProject, ofSnapshot()],
  'gate.get': [{ input: ({ gate: gateId }) => ({ gateId, waitSeconds: 1 }) }],
  'gate.list': byProject,
  'gate.files': [{ input: ({ gate: gateId }) => ({ gateId }) }],
  'gate.finishUploads': [{ input: ({ project: projectId }) => ({ projectId, commitSha: 'a'.repeat(40) }) }],
  'gate.getPolicy': byProject,
  'gate.updatePolicy': [{ input: ({ project: projectId }) => ({ projectId, policy: { mode: 'off' } }) }],
  'testRuns.select': [...byProject, ofSnapshot()],
  'selection.get': byProject,
  'selection.list': byProject,
  'selection.update': [{ input: ({ project: projectId }) => ({ projectId, policy: { mode: 'off' } }) }],
  'gate.previewPolicy': [{ input: ({ project: projectId }) => ({ projectId, policy: {} }) }],
  'strength.measure': [...byProject, ofSnapshot()],
  'strength.get': [{ input: ({ measurement: measurementId }) => ({ measurementId, waitSeconds: 1 }) }],
  'strength.list': byProject,
  'strength.cancel': [{ input: ({ measurement: measurementId }) => ({ measurementId }) }],
  'code.getFile': [
    { input: ({ project: projectId }) => ({ projectId, path: 'a.js' }) },
    { input: ({ run: runId }, { project: projectId }) => ({ projectId, path: 'a.js', runId }) },
    ofSnapshot({ path: 'a.js' }),
  ],
  'code.getLines': [
    { input: ({ project: projectId }) => ({ projectId, path: 'a.js', commitSha: 'a'.repeat(40) }) },
    ofSnapshot({ path: 'a.js' }),
  ],
  'code.listFiles': [...byProject, ofSnapshot()],
  'search.find': [
    { input: ({ project: projectId }) => ({ projectId, query: 'a' }) },
    { ...byOrganization({ query: 'a' }), status: 200 },
    ...(['project', 'run', 'suggestion'] as const).map((id): Probe => ({
      input: (ids) => ({ query: ids[id] }),
      status: 200,
    })),
  ],
  'inbound.list': byProject,
  'webhooks.create': ofProjectAndOrganization(newWebhook),
  'webhooks.list': ofProjectAndOrganization(),
  'webhooks.get': byWebhook(),
  'webhooks.update': byWebhook({ active: false }),
  'webhooks.pause': byWebhook(),
  'webhooks.resume': byWebhook(),
  'webhooks.delete': byWebhook(),
  'webhooks.rotateSecret': byWebhook(),
  'webhooks.deliveries': byWebhook(),
  'webhooks.getDelivery': byDelivery,
  'webhooks.retryDelivery': byDelivery,
  'webhooks.recover': byWebhook({ since: '2026-01-01T00:00:00Z' }),
  'webhooks.test': byWebhook({ waitSeconds: 0 }),
  'files.list': byProject,
  'files.createViewLink': [{ input: ({ project: projectId }) => ({ projectId, runId: null, name: 'report.html' }) }],
  'codeHost.getConnection': byProject,
  'codeHost.setConnection': [
    { input: ({ project: projectId }) => ({ projectId, kind: 'gitlab', token: 'glpat-token-of-tests' }) },
  ],
  'codeHost.removeConnection': byProject,
  'github.getGitHubRepositories': own,
  'github.getLink': own,
  'billing.getPlan': [byOrganization()],
  'system.status': 'takes no id: it is about the server',
}
