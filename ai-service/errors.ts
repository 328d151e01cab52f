import { STATUS_CODES } from 'node:http'
import type { ErrorBody } from './schema.ts'

/** The error codes that callers see, with their HTTP statuses. */
const statuses = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  ANALYSIS_FAILED: 500,
  INTERNAL_ERROR: 500,
} as const

export type ErrorCode = keyof typeof statuses

/** An error that the caller sees: the message says what happened and, where possible, what to do next. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }

  get status() {
    return statuses[this.code]
  }
}

export const invalid = (message: string) => new AppError('VALIDATION_ERROR', message)
export const unauthorized = (message: string) => new AppError('UNAUTHORIZED', message)
export const notFound = (message: string) => new AppError('NOT_FOUND', message)
export const methodNotAllowed = (message: string) => new AppError('METHOD_NOT_ALLOWED', message)
export const payloadTooLarge = (message: string) => new AppError('PAYLOAD_TOO_LARGE', message)
export const unsupportedMediaType = (message: string) => new AppError('UNSUPPORTED_MEDIA_TYPE', message)
export const analysisFailed = (message: string, cause?: unknown) => new AppError('ANALYSIS_FAILED', message, cause)
export const internal = (cause: unknown) =>
  new AppError('INTERNAL_ERROR', 'The AI service failed unexpectedly. Report the requestId.', cause)

export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    error: STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    code: error.code,
    ...(error.status === 500 && { requestId }),
  }
}
