import { PoolFull, TaskFailure } from '../../engines/processes/tasks.ts'
import { isDatabaseUnavailable, sqlStateOf } from './retry.ts'
import type { ErrorHint } from './schema.ts'

/** The error codes that callers see. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'SESSION_EXPIRED'
  | 'PAYMENT_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
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
  /** tRPC's error key, which determines the JSON-RPC number. */
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
  /** The code in RPC answers, if it differs from tRPC's key. */
  rpcCode?: string
}

/** Maps each code to its HTTP status and RPC codes. */
export const errorMappings: Record<ErrorCode, Mapping> = {
  VALIDATION_ERROR: { status: 400, rpc: 'BAD_REQUEST' },
  UNAUTHORIZED: { status: 401, rpc: 'UNAUTHORIZED' },
  SESSION_EXPIRED: { status: 401, rpc: 'UNAUTHORIZED', rpcCode: 'SESSION_EXPIRED' },
  PAYMENT_REQUIRED: { status: 402, rpc: 'PAYMENT_REQUIRED' },
  FORBIDDEN: { status: 403, rpc: 'FORBIDDEN' },
  NOT_FOUND: { status: 404, rpc: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { status: 405, rpc: 'METHOD_NOT_SUPPORTED' },
  REQUEST_TIMEOUT: { status: 408, rpc: 'TIMEOUT', rpcCode: 'REQUEST_TIMEOUT' },
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
  /** The `error` field in REST, if the specification defines one. The default is the HTTP reason phrase. */
  title?: string
  /** Seconds to wait before the next attempt. */
  retryAfter?: number
  /** HTTP headers of the answer, such as `Allow`. */
  headers?: Record<string, string>
  /** The content of the message in machine-readable form. */
  hint?: ErrorHint
}

/** An error that the caller sees: the message says what happened and, where possible, what to do next. */
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

/** Postgres error codes for text that no column can store, such as a NUL character. */
const unstorableText = new Set(['22021', '22P05'])

const statementTimeout = '57014'
const lockTimeout = '55P03'

/** Converts an error into one that the caller may see. Returns undefined for a defect. */
export function asAppError(thrown: unknown): AppError | undefined {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof Error && 'code' in thrown && unstorableText.has(String(thrown.code))) {
    return invalid('The input contains a NUL character or invalid Unicode. Remove it.', { cause: thrown })
  }
  const code = sqlStateOf(thrown)
  if (code === statementTimeout) {
    return unavailable(
      'The database did not complete this call in time, so it was stopped. Nothing was changed. Try again in 5 s; if it fails again, ask for less at a time.',
      5,
      { cause: thrown },
    )
  }
  if (code === lockTimeout) {
    return unavailable('Another call is changing the same record. Nothing was changed. Try again in 2 s.', 2, {
      cause: thrown,
    })
  }
  if (isDatabaseUnavailable(thrown)) {
    return unavailable('The server cannot reach its database right now. Try again in 5 s.', 5, { cause: thrown })
  }
  if (thrown instanceof PoolFull) {
    return unavailable('The server is reading too many files right now. Try again in 10 s.', 10)
  }
  if (thrown instanceof TaskFailure && thrown.reason === 'lost') {
    return unavailable('The process that read the files was stopped. Try again in 5 s.', 5, { cause: thrown })
  }
  return undefined
}

/** The message of every answer to a defect. */
export const defectMessage = 'Assay failed to process this call. The server log contains the details.'

/**
 * Returns true for a failure of the server or of a service behind it, which is logged. Requests refused because of
 * overload have no cause and are not logged one by one, because there may be thousands of them.
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

/** The same error for a missing record and for a record of another user. */
export const notFound = (
  what: string,
  advice = 'Check the id and that your credential may see it.',
  details?: ErrorDetails,
) => new AppError('NOT_FOUND', `No such ${what}. ${advice}`, details)

/** Creates the details of an error whose message names procedures. */
export const procedureHint = (...procedures: string[]) =>
  ({ hint: { kind: 'names', procedures, fields: [] } }) satisfies ErrorDetails

/** @param problem - the text after the name of the field */
export const invalidField = (field: string, problem: string, procedures: string[] = []) =>
  invalid(`${field}: ${problem}`, { hint: { kind: 'names', procedures, fields: [field] } })
