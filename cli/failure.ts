import type { CoreFailure } from '../client/core-client.ts'
import type { Credentials } from '../client/credentials.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'

/** docs/cli.md explains each exit code. */
export const exitCodes = {
  good: 0,
  /** The answer is no: tests failed, a test was not accepted, doctor found something. */
  no: 1,
  wrongUsage: 2,
  notAllowed: 3,
  notFound: 4,
  /** Core does not answer, or cannot do this now. */
  unreachable: 5,
  /** The run or verification failed itself, or was cancelled. */
  noVerdict: 5,
  /** A defect of this program. */
  defect: 70,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure whose message is for the user, with the exit code of the program. */
export class CommandError extends UserError {
  override name = 'CommandError'
  readonly exitCode: ExitCode
  /** Tells programs what went wrong. */
  readonly code: string

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message)
    this.exitCode = exitCode
    this.code = code
  }
}

export const wrongUsage = (message: string) => new CommandError(exitCodes.wrongUsage, 'WRONG_USAGE', message)
export const notFound = (message: string) => new CommandError(exitCodes.notFound, 'NOT_FOUND', message)
export const notAllowed = (message: string, code = 'FORBIDDEN') =>
  new CommandError(
    exitCodes.notAllowed,
    code,
    `Not allowed: ${message} Run \`assay whoami\` to see the scopes of your token.`,
  )
export const notLoggedIn = (message: string) => new CommandError(exitCodes.notAllowed, 'UNAUTHORIZED', message)

/** Where a call went, and with which token. */
export interface Destination {
  baseUrl: string
  /** Null where the caller gave the token itself. */
  source: Credentials['source']
  /** The address comes from SVC_BASE_URL. */
  isSet: boolean
  /** The address of the last login, where SVC_API_TOKEN makes the program ignore it. */
  unusedLogin: string | null
}

/** Explains why a call to core failed, and which command helps. */
export function explainFailure(failure: CoreFailure, to: Destination): CommandError {
  const { baseUrl } = to
  if (failure.kind === 'refused') return explainRefusal(failure.code, sentence(failure), to)
  switch (failure.kind) {
    case 'unreachable':
      return unreachable(`Assay does not answer at ${baseUrl}. ${howToReach(to)}`)
    case 'not_core':
      return unreachable(`The server at ${baseUrl} is not Assay. ${howToReach(to)}`)
    case 'redirects':
      return unreachable(
        `${baseUrl} redirects to another address, which Assay does not follow. Set SVC_BASE_URL to that address, or log in to it: \`assay login --url URL\`.`,
      )
    case 'endless':
      return unreachable(`The response of ${baseUrl} is too long, so the server is not Assay. ${howToReach(to)}`)
    case 'timeout':
      return unreachable(
        `Assay at ${baseUrl} took too long to answer. Try again, or run \`assay doctor\` to find the cause.`,
      )
    default:
      return new CommandError(exitCodes.interrupted, 'CANCELLED', 'Stopped.')
  }
}

type Refusal = Extract<CoreFailure, { kind: 'refused' }>

/** Says what to do where Assay does not answer. */
export function howToReach({ isSet, unusedLogin }: Destination): string {
  if (unusedLogin !== null) {
    return (
      `SVC_API_TOKEN is set, so the address of your login, ${unusedLogin}, is not used. Set SVC_BASE_URL to it, ` +
      'or unset SVC_API_TOKEN.'
    )
  }
  if (isSet) return 'The address comes from SVC_BASE_URL. Start Assay there, or correct SVC_BASE_URL.'
  return 'Start it with `npm start`, or log in to another server: `assay login --url URL`.'
}

/** Says what to do where core rejects the token. */
export function howToReplaceToken({ source, unusedLogin }: Destination): string {
  switch (source) {
    case 'SVC_API_TOKEN':
      return unusedLogin === null
        ? 'It comes from SVC_API_TOKEN. Set that to another token, or unset it and run `assay login`.'
        : `It comes from SVC_API_TOKEN, so the address of your login, ${unusedLogin}, is not used. If the token is for ` +
            'that server, set SVC_BASE_URL to it. Otherwise set SVC_API_TOKEN to another token, or unset it.'
    case 'assay login':
      return 'It comes from your login. Log in again: `assay login`.'
    case 'DATA_DIR/token':
      return 'It comes from DATA_DIR/token, which local mode wrote, perhaps for another database. Log in instead: `assay login`.'
    default:
      return 'Use another token, or create one: `assay login --email ADDRESS`.'
  }
}

export const unreachable = (message: string) => new CommandError(exitCodes.unreachable, 'UNREACHABLE', message)

function explainRefusal(code: string, message: string, to: Destination): CommandError {
  const failure = (exitCode: ExitCode, text: string) => new CommandError(exitCode, code, text)
  switch (code) {
    case 'UNAUTHORIZED':
    case 'SESSION_EXPIRED':
      return failure(
        exitCodes.notAllowed,
        `${to.baseUrl} rejected the token: it is unknown, expired or revoked. ${howToReplaceToken(to)}`,
      )
    case 'FORBIDDEN':
    case 'PAYMENT_REQUIRED':
      return notAllowed(message, code)
    case 'NOT_FOUND':
      return failure(exitCodes.notFound, message)
    case 'BAD_REQUEST':
    case 'CONFLICT':
    case 'PAYLOAD_TOO_LARGE':
      return failure(exitCodes.wrongUsage, message)
    case 'RATE_LIMITED':
    case 'TOO_MANY_REQUESTS':
      return failure(exitCodes.unreachable, `Too many requests: ${message} Try again later.`)
    default:
      return failure(exitCodes.unreachable, `${cleanLine(code)}: ${message}`)
  }
}

/** Core's messages name procedures; a user of the command line needs commands. */
const commandNames: Readonly<Record<string, string>> = {
  'projects.getProjects': 'assay projects',
  'projects.getProject': 'assay projects show',
  'projects.createProject': 'assay projects add',
  'projects.deleteProject': 'assay projects remove',
  'analysis.analyzeRepository': 'assay analyze --project .',
  'analysis.startAnalysis': 'assay analyze --project .',
  'analysis.getAnalysis': 'assay analyze',
  'analysis.suggestTests': 'assay suggest',
  'analysis.generateTests': 'assay generate',
  'suggestions.list': 'assay suggest',
  'projects.getLatestProjectAnalysis': 'assay analyze --project .',
  'tests.verify': 'assay verify',
  'tests.getVerification': 'assay verify',
  'tokens.create': 'assay tokens create',
  'tokens.list': 'assay tokens',
  'tokens.current': 'assay whoami',
  'tokens.revoke': 'assay tokens revoke',
  'testRuns.trigger': 'assay run',
  'testRuns.list': 'assay status',
  'testRuns.get': 'assay status',
  'testRuns.failures': 'assay failures',
  'testRuns.rerunFailed': 'assay run --rerun-failed',
  'testRuns.cancel': 'assay cancel',
  'testRuns.log': 'assay log',
  'webhooks.list': 'assay webhooks',
  'webhooks.get': 'assay webhooks show',
  'webhooks.create': 'assay webhooks create',
  'webhooks.update': 'assay webhooks update',
  'webhooks.delete': 'assay webhooks delete',
  'webhooks.resume': 'assay webhooks resume',
  'webhooks.recover': 'assay webhooks recover',
  'webhooks.deliveries': 'assay webhooks deliveries',
  'webhooks.getDelivery': 'assay webhooks delivery',
  'webhooks.retryDelivery': 'assay webhooks retry',
}

/** Replaces the names of procedures in a summary by commands. Summaries have no hint. */
export const inCommands = (text: string) =>
  text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)*\.[a-z][A-Za-z]+\b/g, (name) => commandNames[name] ?? name)

function sentence({ message, hint }: Pick<Refusal, 'message' | 'hint'>): string {
  const procedures = hint?.kind === 'names' ? hint.procedures : []
  const named = procedures.reduce((text, name) => text.replaceAll(name, commandNames[name] ?? name), message)
  const line = shorten(cleanLine(named), 500)
  return /[.!?…]$/.test(line) ? line : `${line}.`
}
