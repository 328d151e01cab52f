import { callTimeoutMs, type CoreFailure } from '../../client/core-client.ts'
import type { Credentials } from '../../client/credentials.ts'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import type { ErrorHint } from '../../core/base/schema.ts'

/** Says to an agent what failed and what to do next. A message of core can quote text of strangers, so it is cleaned. */
export function explainFailure(failure: CoreFailure, baseUrl: string, from: Origin = {}): string {
  return failure.kind === 'refused' ? explainRefusal(failure, from) : noAnswer[failure.kind](baseUrl)
}

const noAnswer: Record<Exclude<CoreFailure['kind'], 'refused'>, (baseUrl: string) => string> = {
  unreachable: (baseUrl) =>
    `Assay's core does not answer at ${baseUrl}. Start it with \`npm start\`, or set SVC_BASE_URL to its address.`,
  not_core: (baseUrl) => `The server at ${baseUrl} is not Assay's core. Set SVC_BASE_URL to the address of core.`,
  redirects: (baseUrl) =>
    `${baseUrl} redirects, and the MCP server does not follow redirects. Set SVC_BASE_URL to the new address.`,
  endless: (baseUrl) =>
    `The answer of ${baseUrl} is too long to come from core. Set SVC_BASE_URL to the address of core.`,
  timeout: () =>
    `Core did not answer within ${callTimeoutMs / 1_000} s. Try again; if that does not help, request less data or look at core's log.`,
  cancelled: () => 'The call was cancelled.',
}

/** The parts of the refused call that the server itself added. */
interface Origin {
  /** Where the server found the token; undefined where the caller sent it. */
  source?: Credentials['source'] | undefined
  /** The project that the server is confined to. */
  projectId?: string | undefined
}

/** Says how to replace a token that core does not accept, without steps that need a valid one. */
function howToReplaceToken(source: Origin['source']): string {
  switch (source) {
    case 'SVC_API_TOKEN':
      return (
        'It comes from SVC_API_TOKEN in the environment of this MCP server. Set another token and restart the server, ' +
        'or remove the variable and log in with `assay login`.'
      )
    case 'assay login':
      return 'It comes from `assay login`: log in again with `assay login`.'
    case 'DATA_DIR/token':
      return (
        'It comes from DATA_DIR/token, which local mode writes, and may belong to another database. ' +
        'Restart `npm start` with the same DATA_DIR, or log in with `assay login`.'
      )
    case null:
      return 'There is no token: log in with `assay login`, set SVC_API_TOKEN for this MCP server, or start core here with `npm start`.'
    default:
      return 'Send a valid token as `Authorization: Bearer`; `assay login` creates one.'
  }
}

function explainRefusal(refusal: Extract<CoreFailure, { kind: 'refused' }>, from: Origin): string {
  const { code, hint } = refusal
  const message = sentence(refusal.message, hint)
  switch (code) {
    case 'UNAUTHORIZED':
    case 'SESSION_EXPIRED':
      return `Core refused the token: ${message} ${howToReplaceToken(from.source)}`
    case 'FORBIDDEN':
      return `Not allowed: ${explainConfinement(hint, from) ?? `${message} whoami shows the scopes of your token.`}`
    case 'NOT_FOUND':
      return message
    case 'BAD_REQUEST':
      return `Core did not accept the arguments: ${message}`
    case 'RATE_LIMITED':
    case 'TOO_MANY_REQUESTS':
      return `Too many calls: ${message} Wait before you call again.`
    case 'PAYLOAD_TOO_LARGE':
      return `Too large for core: ${message}`
    default:
      return `${code}: ${message}`
  }
}

/** Core cannot know whether the token or this server confines the call. */
function explainConfinement(hint: ErrorHint | undefined, { projectId }: Origin): string | undefined {
  if (projectId === undefined) return undefined
  const confined = `this server is confined to the project ${projectId}`
  if (hint?.kind === 'other_project') return `${confined}, and the token to another.`
  return hint?.kind === 'confined' && hint.to === 'project' ? `${confined}.` : undefined
}

/** The tools in place of the procedures that core's messages name. */
const toolNames: Readonly<Record<string, string>> = {
  'projects.getProjects': 'list_projects',
  'projects.getProject': 'get_project',
  'projects.createProject': 'create_project',
  'projects.updateProject': 'update_project',
  'projects.updateProjectSettings': 'update_project_settings',
  'projects.deleteProject': 'delete_project',
  'projects.getProjectAnalyses': 'get_project',
  'analysis.analyzeRepository': 'analyze_repository',
  'analysis.startAnalysis': 'analyze_repository',
  'analysis.getAnalysis': 'get_analysis',
  'analysis.suggestTests': 'suggest_tests',
  'analysis.generateTests': 'generate_tests',
  'suggestions.list': 'suggest_tests',
  'generatedTests.list': 'generate_tests',
  'projects.getLatestProjectAnalysis': 'get_analysis',
  'tests.verify': 'verify_test',
  'tests.getVerification': 'verify_test',
  'testRuns.trigger': 'trigger_run',
  'testRuns.list': 'list_runs',
  'testRuns.get': 'wait_for_run',
  'testRuns.cancel': 'cancel_run',
  'testRuns.rerunFailed': 'trigger_run',
  'testRuns.failures': 'get_run_failures',
  'testRuns.results': 'get_run_failures',
  'testRuns.plan': 'get_run',
  'testRuns.log': 'get_run_log',
  'testRuns.history': 'get_test_history',
  'webhooks.list': 'list_webhooks',
  'webhooks.get': 'list_webhooks',
  'webhooks.create': 'create_webhook',
  'webhooks.update': 'update_webhook',
  'webhooks.pause': 'update_webhook',
  'webhooks.resume': 'update_webhook',
  'webhooks.delete': 'delete_webhook',
  'webhooks.rotateSecret': 'rotate_webhook_secret',
  'webhooks.deliveries': 'list_webhook_deliveries',
  'webhooks.getDelivery': 'list_webhook_deliveries',
  'webhooks.retryDelivery': 'retry_webhook_delivery',
  'webhooks.recover': 'retry_webhook_delivery',
  'webhooks.test': 'test_webhook',
  'organizations.list': 'list_organizations',
  'organizations.getBySlug': 'get_organization',
  'organizations.getMembers': 'get_organization',
  'github.getGitHubRepositories': 'list_repositories',
  'tokens.current': 'whoami',
}

/** The arguments whose names differ from core's fields. */
const argumentNames: Readonly<Record<string, string>> = {
  'target.path': 'targetPath',
  'target.symbol': 'targetSymbol',
  userToInviteEmail: 'invitee',
  sessionToken: 'sessionId',
}

function sentence(message: string, hint: ErrorHint | undefined): string {
  let line = shorten(cleanLine(message), 500)
  if (hint?.kind === 'names') {
    for (const name of hint.procedures) line = line.replaceAll(name, toolNames[name] ?? name)
    for (const name of hint.fields) line = line.replaceAll(name, argumentNames[name] ?? name)
  }
  return /[.!?…]$/.test(line) ? line : `${line}.`
}
