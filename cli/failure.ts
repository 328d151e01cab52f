import type { CoreFailure } from '../client/core-client.ts'
import { type Destination, explainFailure as explain } from '../client/explain-failure.ts'
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
  /** Identifies the failure for programs. */
  readonly code: string

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message)
    this.exitCode = exitCode
    this.code = code
  }
}

export const wrongUsage = (message: string) => new CommandError(exitCodes.wrongUsage, 'WRONG_USAGE', message)
export const notFound = (message: string) => new CommandError(exitCodes.notFound, 'NOT_FOUND', message)
export const notAllowed = (message: string) => new CommandError(exitCodes.notAllowed, 'FORBIDDEN', message)
export const notLoggedIn = (message: string) => new CommandError(exitCodes.notAllowed, 'UNAUTHORIZED', message)

/** The exit codes of refusals. Others mean that core cannot do this now. */
const exitCodesOfRefusals: Readonly<Record<string, ExitCode>> = {
  UNAUTHORIZED: exitCodes.notAllowed,
  SESSION_EXPIRED: exitCodes.notAllowed,
  FORBIDDEN: exitCodes.notAllowed,
  PAYMENT_REQUIRED: exitCodes.notAllowed,
  NOT_FOUND: exitCodes.notFound,
  BAD_REQUEST: exitCodes.wrongUsage,
  CONFLICT: exitCodes.wrongUsage,
  PAYLOAD_TOO_LARGE: exitCodes.wrongUsage,
}

/** Explains why a call to core failed, and which command helps. */
export function explainFailure(failure: CoreFailure, to: Destination): CommandError {
  const text = explain(failure, to, 'commands')
  if (failure.kind === 'cancelled') return new CommandError(exitCodes.interrupted, 'CANCELLED', text)
  if (failure.kind !== 'refused') return unreachable(text)
  return new CommandError(exitCodesOfRefusals[failure.code] ?? exitCodes.unreachable, failure.code, text)
}

export const unreachable = (message: string) => new CommandError(exitCodes.unreachable, 'UNREACHABLE', message)
