import { isAway } from './retry.ts'
import type { ErrorHint } from './schema.ts'

/** Every way a call can fail that its caller can do something about. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'SESSION_EXPIRED'
  | 'PAYMENT_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR'

interface Mapping {
  status: number
  /** tRPC's own key, which decides the JSON-RPC number. */
  rpc:
    | 'BAD_REQUEST'
    | 'UNAUTHORIZED'
    | 'PAYMENT_REQUIRED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'METHOD_NOT_SUPPORTED'
    | 'CONFLICT'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'TOO_MANY_REQUESTS'
    | 'TIMEOUT'
    | 'SERVICE_UNAVAILABLE'
    | 'INTERNAL_SERVER_ERROR'
  /** What RPC answers call it where that differs from tRPC's key. */
  rpcCode?: string
}

/** The one table from our codes to what HTTP and RPC say. */
export const errorMappings: Record<ErrorCode, Mapping> = {
  VALIDATION_ERROR: { status: 400, rpc: 'BAD_REQUEST' },
  UNAUTHORIZED: { status: 401, rpc: 'UNAUTHORIZED' },
  SESSION_EXPIRED: { status: 401, rpc: 'UNAUTHORIZED', rpcCode: 'SESSION_EXPIRED' },
  PAYMENT_REQUIRED: { status: 402, rpc: 'PAYMENT_REQUIRED' },
  FORBIDDEN: { status: 403, rpc: 'FORBIDDEN' },
  NOT_FOUND: { status: 404, rpc: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { status: 405, rpc: 'METHOD_NOT_SUPPORTED' },
  CONFLICT: { status: 409, rpc: 'CONFLICT' },
  PAYLOAD_TOO_LARGE: { status: 413, rpc: 'PAYLOAD_TOO_LARGE' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, rpc: 'UNSUPPORTED_MEDIA_TYPE' },
  RANGE_NOT_SATISFIABLE: { status: 416, rpc: 'BAD_REQUEST' },
  RATE_LIMITED: { status: 429, rpc: 'TOO_MANY_REQUESTS', rpcCode: 'RATE_LIMITED' },
  UNAVAILABLE: { status: 503, rpc: 'SERVICE_UNAVAILABLE' },
  TIMEOUT: { status: 504, rpc: 'TIMEOUT' },
  INTERNAL_ERROR: { status: 500, rpc: 'INTERNAL_SERVER_ERROR' },
}

export interface ErrorDetails {
  cause?: unknown
  /** REST's `error` field where the specification fixes it; else the HTTP reason phrase. */
  title?: string
  /** Seconds, for RATE_LIMITED: after which the same call has a chance. */
  retryAfter?: number
  /** HTTP headers that belong to the answer, such as `Allow`. */
  headers?: Record<string, string>
  /** What the message says, for a program. */
  hint?: ErrorHint
}

/** A failure that the caller gets to read: the message says what happened and, where possible, what to do next. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly title: string | undefined
  readonly retryAfter: number | undefined
  readonly headers: Record<string, string>
  readonly hint: ErrorHint | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.title = details.title
    this.retryAfter = details.retryAfter
    this.headers = details.headers ?? {}
    this.hint = details.hint
  }

  get status() {
    return errorMappings[this.code].status
  }
}

/** Postgres: text that no column can hold, such as one with a NUL character. */
const unstorableText = new Set(['22021', '22P05'])

/** The error as its reader may see it; undefined for a defect of ours. */
export function asAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof Error && 'code' in thrown && unstorableText.has(String(thrown.code))) {
    return invalid('The input has text with a NUL character or broken Unicode. Leave that out.', { cause: thrown })
  }
  if (isAway(thrown)) {
    return unavailable('The server cannot reach its database right now. Try again in 5 s.', 5, { cause: thrown })
  }
  return undefined
}

/**
 * True for a failure of the server or of a service behind it, which the log must explain. A request that is refused
 * because the server is busy has no cause, and thousands of them must not cost a log line each.
 */
export function isFault(error: AppError): boolean {
  return error.status >= 500 && !(error.code === 'UNAVAILABLE' && error.cause === undefined)
}

export const invalid = (message: string, details?: ErrorDetails) => new AppError('VALIDATION_ERROR', message, details)
export const unauthorized = (message: string, details?: ErrorDetails) => new AppError('UNAUTHORIZED', message, details)
export const sessionExpired = () => new AppError('SESSION_EXPIRED', 'The session has expired. Sign in again.')
export const forbidden = (message: string, details?: ErrorDetails) => new AppError('FORBIDDEN', message, details)
export const conflict = (message: string, details?: ErrorDetails) => new AppError('CONFLICT', message, details)
export const rateLimited = (message: string, retryAfter: number) =>
  new AppError('RATE_LIMITED', message, { retryAfter, headers: { 'Retry-After': String(retryAfter) } })
export const timeout = (message: string, details?: ErrorDetails) => new AppError('TIMEOUT', message, details)
export const paymentRequired = (message: string) => new AppError('PAYMENT_REQUIRED', message)
/** @param retryAfter - seconds */
export const unavailable = (message: string, retryAfter: number, details?: ErrorDetails) =>
  new AppError('UNAVAILABLE', message, { ...details, retryAfter, headers: { 'Retry-After': String(retryAfter) } })
export const internal = (message: string, details?: ErrorDetails) => new AppError('INTERNAL_ERROR', message, details)

/** The same words whether the record does not exist or belongs to somebody else. */
export const notFound = (
  what: string,
  advice = 'Check the id and that your credential may see it.',
  details?: ErrorDetails,
) => new AppError('NOT_FOUND', `No such ${what}. ${advice}`, details)

/** Details of an error whose message names procedures. */
export const procedureHint = (...procedures: string[]) =>
  ({ hint: { kind: 'names', procedures, fields: [] } }) satisfies ErrorDetails

/** An input field with a problem, in the words that follow the field's name. */
export const invalidField = (field: string, problem: string, procedures: string[] = []) =>
  invalid(`${field}: ${problem}`, { hint: { kind: 'names', procedures, fields: [field] } })
