import { initTRPC, type TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { z } from 'zod'
import type { Context } from '../base/context.ts'
import { type AppError, asAppError, defectMessage, errorMappings, invalid } from '../base/errors.ts'
import { invalidInput } from '../base/input.ts'
import { requireOwnEmail, requireScope } from '../base/permissions.ts'
import { takeTurnFor } from './take-turn.ts'

const t = initTRPC.context<Context>().create({
  // A stack names folders of the server, so no answer contains one. The log has the stacks of defects.
  isDev: false,
  errorFormatter: ({ shape, error, path }) => {
    const { key, code, httpStatus, message } = describeRpcError(error)
    const { retryAfter, hint } = knownCause(error) ?? {}
    return {
      ...shape,
      code: TRPC_ERROR_CODES_BY_KEY[key],
      message,
      data: {
        code,
        httpStatus,
        path: path ?? '',
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(hint === undefined ? {} : { hint }),
      },
    }
  },
})

export const router = t.router

/** Joins procedures of several domains under one name. */
export const mergeRouters = t.mergeRouters

/** The base of procedures that need no credential. */
export const openProcedure = t.procedure

/**
 * The base of nearly all procedures: requires a caller whose credential has the scope that `scopes.ts` names for this
 * path. Waits for the caller's turn. Runs before the input is parsed and validated.
 */
export const procedure = t.procedure.use(async ({ ctx, path, getRawInput, next }) => {
  requireScope(ctx, path)
  return takeTurnFor(ctx, path, async (ctx) => {
    requireOwnEmail(ctx, userEmailOf(await getRawInput()))
    return next({ ctx })
  })
})

function userEmailOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'userEmail' in input ? input.userEmail : undefined
}

interface RpcError {
  /** tRPC's key, which decides the JSON-RPC number. */
  key: keyof typeof TRPC_ERROR_CODES_BY_KEY
  code: string
  httpStatus: number
  message: string
}

/** Returns what an RPC caller may see: an AppError in full, tRPC's error about the call, and no details of a defect. */
export function describeRpcError(error: TRPCError): RpcError {
  const known = knownCause(error)
  if (known) {
    const { rpc, rpcCode, status } = errorMappings[known.code]
    return { key: rpc, code: rpcCode ?? rpc, httpStatus: status, message: known.message }
  }
  switch (error.code) {
    case 'PARSE_ERROR':
      return { key: error.code, code: 'BAD_REQUEST', httpStatus: 400, message: 'The request body is not valid JSON.' }
    case 'NOT_FOUND':
    case 'METHOD_NOT_SUPPORTED':
    case 'UNSUPPORTED_MEDIA_TYPE':
    case 'BAD_REQUEST':
      return {
        key: error.code,
        code: error.code,
        httpStatus: getHTTPStatusCodeFromError(error),
        message: error.message,
      }
    default:
      return { key: 'INTERNAL_SERVER_ERROR', code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, message: defectMessage }
  }
}

/** Returns the AppError inside tRPC's error. Failed input validation becomes an AppError. */
export function knownCause(error: TRPCError): AppError | undefined {
  const known = asAppError(error.cause)
  if (known) return known
  if (error.code === 'BAD_REQUEST' && error.cause instanceof z.ZodError) return invalidInput(error.cause)
  if (error.code === 'BAD_REQUEST' && error.cause instanceof SyntaxError) return invalid('The input is not valid JSON.')
  return undefined
}
