import type { CoreFailure } from '../client/core-client.ts'
import type { Credentials } from '../client/credentials.ts'
import { cleanLine, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'

/** What the program's end says to whoever started it. Explained in docs/cli.md. */
export const exitCodes = {
  good: 0,
  /** The answer is no: tests failed, a test was not accepted, doctor found something. */
  no: 1,
  wrongUsage: 2,
  notAllowed: 3,
  notFound: 4,
  /** Core does not answer, or cannot do it now. */
  unreachable: 5,
  /** Nor is there an answer where what was run broke or was cancelled. */
  noVerdict: 5,
  /** A defect of this program. */
  defect: 70,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure whose message is for the person who typed the command, with the code that the program ends with. */
export class CommandError extends UserError {
  override name = 'CommandError'
  readonly exitCode: ExitCode
  /** What went wrong in a word that programs can tell apart. */
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
  new CommandError(exitCodes.notAllowed, code, `Not allowed: ${message} \`assay whoami\` shows what your token may do.`)
export const notLoggedIn = (message: string) => new CommandError(exitCodes.notAllowed, 'UNAUTHORIZED', message)

/** Where a call went, and as whom. */
export interface Destination {
  baseUrl: string
  /** Null where the caller gave the token itself. */
  source: Credentials['source']
  /** SVC_BASE_URL says the address. */
  isSet: boolean
  /** The address of the last login, where SVC_API_TOKEN keeps it from being used. */
  unusedLogin: string | null
}

/** Puts into words what became of a call to core, and which command comes next. */
export function explainFailure(failure: CoreFailure, to: Destination): CommandError {
  const { baseUrl } = to
  if (failure.kind === 'refused') return explainRefusal(failure.code, sentence(failure.message), to)
  switch (failure.kind) {
    case 'unreachable':
      return unreachable(`Assay does not answer at ${baseUrl}. ${howToReach(to)}`)
    case 'not_core':
      return unreachable(`What answers at ${baseUrl} is not Assay. ${howToReach(to)}`)
    case 'redirects':
      return unreachable(
        `${baseUrl} redirects, and calls are not sent on. Set SVC_BASE_URL to where it leads, or log in there: \`assay login --url URL\`.`,
      )
    case 'endless':
      return unreachable(`The answer of ${baseUrl} does not end, so it is not Assay's. ${howToReach(to)}`)
    case 'timeout':
      return unreachable(
        `Assay at ${baseUrl} took too long to answer. Try again; \`assay doctor\` looks for the cause.`,
      )
    default:
      return new CommandError(exitCodes.interrupted, 'CANCELLED', 'Stopped.')
  }
}

/** What helps where Assay is not. */
export function howToReach({ isSet, unusedLogin }: Destination): string {
  if (unusedLogin !== null) {
    return (
      `With SVC_API_TOKEN the address of your login, ${unusedLogin}, is not used: set SVC_BASE_URL to it, ` +
      'or unset SVC_API_TOKEN.'
    )
  }
  if (isSet) return 'SVC_BASE_URL says so: start it there, or set SVC_BASE_URL to where it is.'
  return 'Start it with `npm start`, or log in elsewhere: `assay login --url URL`.'
}

/** What helps where core knows no such token, or no longer. */
export function howToReplaceToken({ source, unusedLogin }: Destination): string {
  switch (source) {
    case 'SVC_API_TOKEN':
      return unusedLogin === null
        ? 'It comes from SVC_API_TOKEN: set that to another, or unset it and use `assay login`.'
        : `It comes from SVC_API_TOKEN, with which the address of your login, ${unusedLogin}, is not used: if it is for ` +
            'that one, set SVC_BASE_URL to it; else set SVC_API_TOKEN to another, or unset it.'
    case 'assay login':
      return 'It is that of your login. Log in again: `assay login`.'
    case 'DATA_DIR/token':
      return 'It comes from DATA_DIR/token, where local mode leaves its own: is that of another database? Or log in: `assay login`.'
    default:
      return 'Give another, or have one made: `assay login --email ADDRESS`.'
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
        `${to.baseUrl} refused the token: it is unknown there, expired or revoked. ${howToReplaceToken(to)}`,
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
      return failure(exitCodes.unreachable, `Too many calls: ${message} Try again later.`)
    default:
      return failure(exitCodes.unreachable, `${cleanLine(code)}: ${message}`)
  }
}

/** Core names procedures in its hints; at a terminal they are commands. */
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
  'webhooks.resume': 'assay webhooks resume',
  'webhooks.recover': 'assay webhooks recover',
  'webhooks.deliveries': 'assay webhooks deliveries',
  'webhooks.retryDelivery': 'assay webhooks retry',
}

/** Text of core's as it is for somebody at a terminal. */
export const inCommands = (text: string) =>
  text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)*\.[a-z][A-Za-z]+\b/g, (name) => commandNames[name] ?? name)

function sentence(message: string): string {
  const line = inCommands(shorten(cleanLine(message), 500))
  return /[.!?…]$/.test(line) ? line : `${line}.`
}
