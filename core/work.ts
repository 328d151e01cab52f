/** The connection pools of a process: `core/database.ts` divides the connections among them. */
export type PoolName = 'access' | 'requests' | 'scans' | 'deliveries' | 'jobs'

/**
 * What a call does to the server, which decides its pool and how many such calls one caller runs at a time.
 *
 * - `authentication`: looks up the credential of a request.
 * - `sign-in`: signs in or out, or shows sessions.
 * - `ordinary`: reads or writes a few rows.
 * - `scan`: reads rows in proportion to the size of a run or a history, or returns megabytes.
 * - `remote`: waits for a repository, the code host or the AI service.
 * - `checkout`: fetches a commit and reads its files.
 * - `ranking`: ranks a part of an analyzed commit in a process of its own, as a part of a `remote` call.
 * - `upload`: receives files. `storing` begins when they have arrived, or `unpacking` for a snapshot.
 * - `storing`: writes or deletes rows in proportion to the size of a run or a project.
 * - `unpacking`: checks the pack of a snapshot, as a part of an `upload` call.
 * - `download`: sends a file.
 * - `stream`: sends events; `core/http/open-streams.ts` limits them.
 */
export type WorkKind = CallKind | 'authentication' | 'storing' | 'ranking' | 'unpacking'
type CallKind = 'sign-in' | 'ordinary' | 'scan' | 'remote' | 'checkout' | 'upload' | 'storing' | 'download' | 'stream'

/** The work of each procedure and route. Every other one refuses all calls. */
export const workOf: Readonly<Record<string, CallKind>> = {
  'auth.getProfile': 'ordinary',
  'auth.updateProfile': 'ordinary',
  'auth.listSessions': 'sign-in',
  'auth.revokeSession': 'sign-in',
  'auth.revokeOtherSessions': 'sign-in',
  'auth.invalidateSession': 'sign-in',
  'auth.getAuditLogs': 'scan',

  'tokens.create': 'ordinary',
  'tokens.list': 'ordinary',
  'tokens.revoke': 'ordinary',
  'tokens.current': 'ordinary',

  'organizations.list': 'ordinary',
  'organizations.getBySlug': 'ordinary',
  'organizations.getMembers': 'ordinary',
  'organizations.create': 'ordinary',
  'organizations.update': 'ordinary',
  'organizations.delete': 'storing',
  'organizations.inviteMember': 'ordinary',
  'organizations.updateMemberRole': 'ordinary',
  'organizations.removeMember': 'ordinary',
  'organizations.leave': 'ordinary',
  'organizations.revokeInvitation': 'ordinary',
  'organizations.resendInvitation': 'ordinary',

  'projects.getProjects': 'ordinary',
  'projects.getProject': 'ordinary',
  'projects.getProjectSettings': 'ordinary',
  'projects.getProjectAnalyses': 'ordinary',
  'projects.getLatestProjectAnalysis': 'scan',
  'projects.overview': 'scan',
  'projects.trends': 'scan',
  'projects.branches': 'scan',
  'projects.activity': 'scan',
  'projects.funnel': 'scan',
  'projects.createProject': 'remote',
  'projects.updateProject': 'remote',
  'projects.deleteProject': 'storing',
  'projects.updateProjectSettings': 'ordinary',
  'projects.rotateInboundSecret': 'ordinary',

  'analysis.analyzeRepository': 'remote',
  'analysis.startAnalysis': 'remote',
  'analysis.getAnalysis': 'scan',
  'analysis.listCandidates': 'scan',
  'analysis.getMeasuredCoverage': 'scan',
  'analysis.suggestTests': 'remote',
  'analysis.generateTests': 'remote',

  'suggestions.list': 'scan',
  'suggestions.dismiss': 'ordinary',

  'generatedTests.list': 'scan',
  'generatedTests.get': 'ordinary',
  'generatedTests.dismiss': 'ordinary',

  'testRuns.trigger': 'ordinary',
  'testRuns.plan': 'checkout',
  'testRuns.list': 'scan',
  'testRuns.get': 'ordinary',
  'testRuns.cancel': 'ordinary',
  'testRuns.rerunFailed': 'scan',
  'testRuns.results': 'scan',
  'testRuns.history': 'scan',
  'testRuns.coverage': 'scan',
  'testRuns.coverageByFolder': 'scan',
  'testRuns.failures': 'scan',
  'testRuns.log': 'scan',
  'testRuns.shards': 'scan',

  'snapshots.findBase': 'remote',
  'snapshots.create': 'upload',
  'snapshots.get': 'ordinary',
  'snapshots.list': 'scan',
  'snapshots.delete': 'ordinary',

  'tests.verify': 'ordinary',
  'tests.verifyMany': 'ordinary',
  'tests.getVerification': 'ordinary',
  'tests.listVerifications': 'scan',
  'tests.cancelVerification': 'ordinary',

  'tests.list': 'scan',
  'tests.get': 'scan',
  'tests.getPolicy': 'ordinary',
  'tests.updatePolicy': 'ordinary',
  'tests.previewPolicy': 'scan',
  'tests.speed': 'scan',
  'tests.merge': 'scan',
  'tests.confirmFix': 'ordinary',
  'tests.getConfirmation': 'ordinary',
  'tests.listConfirmations': 'ordinary',
  'tests.cancelConfirmation': 'ordinary',

  'quarantine.request': 'ordinary',
  'quarantine.grant': 'ordinary',
  'quarantine.release': 'ordinary',
  'quarantine.list': 'ordinary',

  'changes.verify': 'ordinary',
  'changes.get': 'ordinary',
  'changes.list': 'scan',
  'changes.cancel': 'ordinary',

  'strength.measure': 'ordinary',
  'strength.get': 'ordinary',
  'strength.list': 'scan',
  'strength.cancel': 'ordinary',

  'gate.check': 'remote',
  'gate.get': 'ordinary',
  'gate.list': 'scan',
  'gate.files': 'remote',
  'gate.finishUploads': 'ordinary',
  'gate.getPolicy': 'ordinary',
  'gate.updatePolicy': 'ordinary',
  'gate.previewPolicy': 'scan',
  'testRuns.select': 'remote',
  'selection.get': 'ordinary',
  'selection.list': 'scan',
  'selection.update': 'ordinary',

  // They wait for the server of the repository, and fetch the commit as a `checkout`.
  'code.getFile': 'remote',
  'code.getLines': 'remote',
  'code.listFiles': 'remote',

  'search.find': 'scan',

  'files.list': 'scan',
  'files.createViewLink': 'ordinary',

  'codeHost.getConnection': 'ordinary',
  'codeHost.setConnection': 'remote',
  'codeHost.removeConnection': 'ordinary',
  'github.getGitHubRepositories': 'remote',
  'github.getLink': 'ordinary',

  'inbound.list': 'scan',

  'webhooks.create': 'ordinary',
  'webhooks.list': 'ordinary',
  'webhooks.get': 'ordinary',
  'webhooks.update': 'ordinary',
  'webhooks.pause': 'ordinary',
  'webhooks.resume': 'ordinary',
  'webhooks.delete': 'storing',
  'webhooks.rotateSecret': 'ordinary',
  'webhooks.deliveries': 'scan',
  'webhooks.getDelivery': 'ordinary',
  'webhooks.retryDelivery': 'ordinary',
  'webhooks.recover': 'ordinary',
  'webhooks.test': 'ordinary',

  'billing.getPlan': 'ordinary',

  'system.status': 'ordinary',

  'POST /api/auth/link-social': 'sign-in',
  'GET /api/auth/list-sessions': 'sign-in',
  'POST /api/auth/revoke-session': 'sign-in',
  'POST /api/auth/revoke-other-sessions': 'sign-in',
  'POST /api/auth/change-password': 'sign-in',

  'POST /api/ci/trigger/:projectId': 'ordinary',
  'POST /api/ci/upload/:projectId': 'upload',
  'GET /api/test-runs/:runId/status': 'ordinary',
  'GET /api/test-runs/:runId/events': 'stream',

  'GET /files/:projectId/:runId/*name': 'download',

  'GET /api/v1/projects': 'scan',
  'GET /api/v1/projects/:id': 'ordinary',
  'POST /api/v1/projects/:id/analyze': 'remote',
  'POST /api/v1/projects/:id/snapshots': 'upload',
  'POST /api/v1/projects/:id/strength': 'ordinary',
  'GET /api/v1/strength/:id': 'ordinary',
  'GET /api/v1/projects/:id/tests': 'scan',
  'GET /api/v1/projects/:id/test-speed': 'scan',
  'GET /api/v1/projects/:id/shards': 'scan',
  'POST /api/v1/projects/:id/shards': 'scan',
  'GET /api/v1/projects/:id/tests/:testId': 'scan',
  'POST /api/v1/projects/:id/tests/:testId/merge': 'scan',
  'POST /api/v1/projects/:id/tests/:testId/confirmations': 'ordinary',
  'GET /api/v1/confirmations/:id': 'ordinary',
  'GET /api/v1/projects/:id/test-policy': 'ordinary',
  'POST /api/v1/projects/:id/test-policy': 'ordinary',
  'POST /api/v1/projects/:id/test-policy/preview': 'scan',
  'GET /api/v1/projects/:id/quarantines': 'ordinary',
  'POST /api/v1/projects/:id/quarantines': 'ordinary',
  'POST /api/v1/quarantines/:id/grant': 'ordinary',
  'POST /api/v1/quarantines/:id/release': 'ordinary',
}

/** The connections that each kind of work uses. */
export const poolOfWork: Readonly<Record<WorkKind, PoolName>> = {
  authentication: 'access',
  'sign-in': 'access',
  ordinary: 'requests',
  scan: 'scans',
  remote: 'requests',
  checkout: 'requests',
  ranking: 'requests',
  upload: 'requests',
  storing: 'jobs',
  unpacking: 'requests',
  download: 'requests',
  stream: 'requests',
}

/** How many calls of one kind run at a time in this process, and how many wait for that. */
export interface Lane {
  /** The calls in messages: "3 of your uploads". */
  noun: string
  maxRunningPerCaller: number
  maxRunning: number
  maxWaitingPerCaller: number
  maxWaitMs: number
  /** Whether a caller whose other calls wait pauses after each call for as long as it took. */
  rests: boolean
}

const second = 1_000

/**
 * Returns the limits of each kind of work.
 *
 * Waiting is cheap, and slows a flood down where a refusal would only speed it up. So the queues are long, and refusals
 * are for floods and for callers who would wait too long.
 */
export function lanesOf(sizes: Readonly<Record<PoolName, number>>): Record<Exclude<WorkKind, 'stream'>, Lane> {
  const lane = (noun: string, maxRunningPerCaller: number, limits: Partial<Lane> = {}): Lane => ({
    noun,
    maxRunningPerCaller,
    maxRunning: Infinity,
    maxWaitingPerCaller: 1_000,
    maxWaitMs: 10 * second,
    rests: false,
    ...limits,
  })
  return {
    // Per address, because the caller is not known yet. Lookups share statements, so that many need few connections.
    authentication: lane('requests', 16 * sizes.access, { maxWaitingPerCaller: 3_500 }),
    // A password takes 50 ms of a processor.
    'sign-in': lane('calls', 4),
    // A third of the connections is left for other callers.
    ordinary: lane('calls', Math.ceil((sizes.requests * 2) / 3), { maxWaitMs: 20 * second }),
    // They also use the processor of this process, which a flood would otherwise keep busy.
    scan: lane('searches and lists', Math.max(1, Math.floor(sizes.scans / 2)), {
      maxRunning: sizes.scans,
      maxWaitingPerCaller: 100,
      rests: true,
    }),
    checkout: lane('calls that read a repository', 1, {
      maxRunning: 4,
      maxWaitingPerCaller: 100,
      maxWaitMs: 30 * second,
      rests: true,
    }),
    // Each takes as much memory and processor time as an analysis, for seconds. It holds its turn while it fetches the
    // base of `since`, so that there are more turns than processors.
    ranking: lane('analyses of a part of a repository', 1, {
      maxRunning: 4,
      maxWaitingPerCaller: 8,
      maxWaitMs: 30 * second,
      rests: true,
    }),
    // The AI service has its own limit of 8 calls for an owner, which refuses the ninth at once.
    remote: lane('calls that use a repository or another service', 16, {
      maxRunning: 64,
      maxWaitingPerCaller: 50,
      maxWaitMs: 30 * second,
    }),
    // Less than a body may take, so that a call that waits too long is refused and not cut off.
    upload: lane('uploads', 20, { maxRunning: 100, maxWaitingPerCaller: 100, maxWaitMs: 25 * second }),
    storing: lane('uploads and deletions', 1, {
      // A slow upload must not hold back those of other callers. One connection is left for jobs.
      maxRunning: Math.max(1, sizes.jobs - 1),
      maxWaitingPerCaller: 100,
      maxWaitMs: 120 * second,
    }),
    // Git takes a processor and much memory for a large pack. The clone of a project has one user at a time, so that one
    // project cannot take all turns.
    unpacking: lane('snapshots', 2, { maxRunning: 4, maxWaitingPerCaller: 200, maxWaitMs: 60 * second }),
    download: lane('downloads', 50, { maxWaitingPerCaller: 200, maxWaitMs: 30 * second }),
  }
}
