import type { Scope } from './base/schema.ts'

/**
 * The scope that each procedure and route requires. Null accepts any valid credential. A procedure or route that is
 * missing here refuses every call.
 */
export const requiredScopes: Readonly<Record<string, Scope | null>> = {
  'auth.getProfile': 'profile:read',
  'auth.updateProfile': 'profile:write',
  'auth.listSessions': 'profile:read',
  'auth.revokeSession': 'profile:write',
  'auth.revokeOtherSessions': 'profile:write',
  // The operation refuses tokens.
  'auth.invalidateSession': null,
  'auth.getAuditLogs': 'audit:read',

  'tokens.create': 'tokens:manage',
  'tokens.list': 'tokens:manage',
  'tokens.revoke': 'tokens:manage',
  'tokens.current': null,

  'organizations.list': 'org:read',
  'organizations.getBySlug': 'org:read',
  'organizations.getMembers': 'org:read',
  'organizations.create': 'org:admin',
  'organizations.update': 'org:admin',
  'organizations.delete': 'org:admin',
  'organizations.inviteMember': 'org:admin',
  'organizations.updateMemberRole': 'org:admin',
  'organizations.removeMember': 'org:admin',
  'organizations.leave': 'org:admin',
  'organizations.revokeInvitation': 'org:admin',
  'organizations.resendInvitation': 'org:admin',

  'projects.getProjects': 'projects:read',
  'projects.getProject': 'projects:read',
  'projects.getProjectSettings': 'projects:read',
  'projects.getProjectAnalyses': 'projects:read',
  'projects.getLatestProjectAnalysis': 'projects:read',
  'projects.overview': 'tests:read',
  'projects.trends': 'tests:read',
  'projects.branches': 'tests:read',
  'projects.activity': 'tests:read',
  'projects.funnel': 'tests:read',
  'projects.createProject': 'projects:write',
  'projects.updateProject': 'projects:write',
  'projects.deleteProject': 'projects:write',
  'projects.updateProjectSettings': 'projects:write',
  'projects.rotateInboundSecret': 'webhooks:write',

  'analysis.analyzeRepository': 'analysis:run',
  'analysis.startAnalysis': 'analysis:run',
  'analysis.getAnalysis': 'projects:read',
  'analysis.listCandidates': 'projects:read',
  'analysis.getMeasuredCoverage': 'tests:read',
  'analysis.suggestTests': 'analysis:run',
  'analysis.generateTests': 'analysis:run',

  'suggestions.list': 'projects:read',
  'suggestions.dismiss': 'analysis:run',

  'generatedTests.list': 'projects:read',
  'generatedTests.get': 'projects:read',
  'generatedTests.dismiss': 'analysis:run',

  'testRuns.trigger': 'tests:run',
  'testRuns.plan': 'tests:run',
  'testRuns.list': 'tests:read',
  'testRuns.get': 'tests:read',
  'testRuns.cancel': 'tests:run',
  'testRuns.rerunFailed': 'tests:run',
  'testRuns.results': 'tests:read',
  'testRuns.history': 'tests:read',
  'testRuns.coverage': 'tests:read',
  'testRuns.coverageByFolder': 'tests:read',
  'testRuns.failures': 'tests:read',
  'testRuns.log': 'tests:read',
  'testRuns.shards': 'tests:read',

  'snapshots.findBase': 'tests:run',
  'snapshots.create': 'tests:run',
  'snapshots.get': 'tests:read',
  'snapshots.list': 'tests:read',
  'snapshots.delete': 'tests:run',

  'tests.verify': 'tests:run',
  'tests.verifyMany': 'tests:run',
  'tests.getVerification': 'tests:read',
  'tests.listVerifications': 'tests:read',
  'tests.cancelVerification': 'tests:run',

  'tests.list': 'tests:read',
  'tests.get': 'tests:read',
  'tests.getPolicy': 'tests:read',
  'tests.updatePolicy': 'tests:write',
  'tests.previewPolicy': 'tests:read',
  'tests.speed': 'tests:read',
  'tests.merge': 'tests:write',
  'tests.confirmFix': 'tests:run',
  'tests.getConfirmation': 'tests:read',
  'tests.listConfirmations': 'tests:read',
  'tests.cancelConfirmation': 'tests:run',

  'quarantine.request': 'tests:write',
  'quarantine.grant': 'tests:write',
  'quarantine.release': 'tests:write',
  'quarantine.list': 'tests:read',

  'changes.verify': 'tests:run',
  'changes.get': 'tests:read',
  'changes.list': 'tests:read',
  'changes.cancel': 'tests:run',

  'strength.measure': 'tests:run',
  'strength.get': 'tests:read',
  'strength.list': 'tests:read',
  'strength.cancel': 'tests:run',

  'code.getFile': 'tests:read',
  'code.getLines': 'tests:read',
  'code.listFiles': 'tests:read',

  // The operation leaves out what needs the scope tests:read.
  'search.find': 'projects:read',

  'files.list': 'artifacts:read',
  'files.createViewLink': 'artifacts:read',

  'github.getGitHubRepositories': 'projects:read',
  'github.getLink': 'profile:read',

  'inbound.list': 'webhooks:read',

  'webhooks.create': 'webhooks:write',
  'webhooks.list': 'webhooks:read',
  'webhooks.get': 'webhooks:read',
  'webhooks.update': 'webhooks:write',
  'webhooks.pause': 'webhooks:write',
  'webhooks.resume': 'webhooks:write',
  'webhooks.delete': 'webhooks:write',
  'webhooks.rotateSecret': 'webhooks:write',
  'webhooks.deliveries': 'webhooks:read',
  'webhooks.getDelivery': 'webhooks:read',
  'webhooks.retryDelivery': 'webhooks:write',
  'webhooks.recover': 'webhooks:write',
  'webhooks.test': 'webhooks:write',

  'billing.getPlan': 'org:read',

  'system.status': null,

  // The operation refuses tokens.
  'POST /api/auth/link-social': null,
  'GET /api/auth/list-sessions': 'profile:read',
  'POST /api/auth/revoke-session': 'profile:write',
  'POST /api/auth/revoke-other-sessions': 'profile:write',
  // The operation refuses tokens.
  'POST /api/auth/change-password': null,

  'POST /api/ci/trigger/:projectId': 'tests:run',
  'POST /api/ci/upload/:projectId': 'tests:run',
  'GET /api/test-runs/:runId/status': 'tests:read',
  'GET /api/test-runs/:runId/events': 'tests:read',

  'GET /files/:projectId/:runId/*name': 'artifacts:read',

  'GET /api/v1/projects': 'projects:read',
  'GET /api/v1/projects/:id': 'projects:read',
  'POST /api/v1/projects/:id/analyze': 'analysis:run',
  'POST /api/v1/projects/:id/snapshots': 'tests:run',
  'POST /api/v1/projects/:id/strength': 'tests:run',
  'GET /api/v1/strength/:id': 'tests:read',
  'GET /api/v1/projects/:id/tests': 'tests:read',
  'GET /api/v1/projects/:id/test-speed': 'tests:read',
  'GET /api/v1/projects/:id/shards': 'tests:read',
  'POST /api/v1/projects/:id/shards': 'tests:read',
  'GET /api/v1/projects/:id/tests/:testId': 'tests:read',
  'POST /api/v1/projects/:id/tests/:testId/merge': 'tests:write',
  'POST /api/v1/projects/:id/tests/:testId/confirmations': 'tests:run',
  'GET /api/v1/confirmations/:id': 'tests:read',
  'GET /api/v1/projects/:id/test-policy': 'tests:read',
  'POST /api/v1/projects/:id/test-policy': 'tests:write',
  'POST /api/v1/projects/:id/test-policy/preview': 'tests:read',
  'GET /api/v1/projects/:id/quarantines': 'tests:read',
  'POST /api/v1/projects/:id/quarantines': 'tests:write',
  'POST /api/v1/quarantines/:id/grant': 'tests:write',
  'POST /api/v1/quarantines/:id/release': 'tests:write',
}
