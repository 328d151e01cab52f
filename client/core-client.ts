import { createTRPCClient, httpLink, TRPCClientError, type TRPCClient } from '@trpc/client'
import type { IncomingMessage } from 'node:http'
import { ErrorHint } from '../core/base/schema.ts'
import type { AppRouter } from '../core/router.ts'
import { callOverHttp, type HttpCall } from './http-call.ts'

export type CoreClient = TRPCClient<AppRouter>

/** MCP clients abandon a tool call after 60 s, so a call must fail before that to explain why. */
export const callTimeoutMs = 55_000

export interface CoreClientOptions {
  baseUrl: string
  token: string | undefined
  /** Restricts the calls to one project, even where the token has access to more. */
  projectId?: string | undefined
  /** Correlates the logs of core with ours. */
  requestId: string
  signal?: AbortSignal
  /** Limits all calls together. */
  timeoutMs?: number
  /** Limits each call, in place of `timeoutMs`, for a client that polls for hours. */
  requestTimeoutMs?: number
}

/** Creates a client for one tool call or command. */
export function createCoreClient(options: CoreClientOptions): CoreClient {
  const { baseUrl, token, projectId, requestId, signal, timeoutMs = callTimeoutMs, requestTimeoutMs } = options
  const deadline = requestTimeoutMs === undefined ? AbortSignal.timeout(timeoutMs) : undefined
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${baseUrl}/trpc`,
        headers: {
          'x-request-id': requestId,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(projectId === undefined ? {} : { 'x-svc-project': projectId }),
        },
        fetch: async (url, init) => {
          const limit = deadline ?? AbortSignal.timeout(requestTimeoutMs ?? timeoutMs)
          const signals = [init?.signal, signal, limit].filter((one) => one != null)
          // A followed redirect would send the body to another server.
          const within = AbortSignal.any(signals)
          // tRPC gives plain headers, and JSON as text.
          const { method, headers = {}, body } = (init ?? {}) as Partial<HttpCall>
          const response = await callOverHttp(url, { method, headers, body, signal: within })
          const { statusCode: status = 0 } = response
          // A followed redirect would send the body to another server.
          if (status >= 300 && status < 400) {
            response.destroy()
            throw new NoAnswer('redirects')
          }
          return await readWhole(response, status, within)
        },
      }),
    ],
  })
}

/** Far more than the largest response of core. */
export const maxResponseBytes = 32 * 1_048_576

class NoAnswer extends Error {
  override name = 'NoAnswer'
  readonly kind: 'redirects' | 'endless'
  constructor(kind: NoAnswer['kind']) {
    super(kind)
    this.kind = kind
  }
}

/** Reads the answer up to the limit, in the form that tRPC needs. */
async function readWhole(response: IncomingMessage, status: number, signal: AbortSignal) {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxResponseBytes) throw new NoAnswer('endless')
      chunks.push(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof NoAnswer ? error : new TypeError('The response broke off.', { cause: error })
  }
  const ok = status >= 200 && status < 300
  return { ok, status, json: async () => JSON.parse(Buffer.concat(chunks).toString()) as unknown }
}

export type CoreFailure =
  | { kind: 'refused'; code: string; status: number; message: string; hint?: ErrorHint | undefined }
  /** The connection ended while a body was sent. */
  | { kind: 'cut'; seconds: number }
  | { kind: 'unreachable' | 'timeout' | 'cancelled' | 'not_core' | NoAnswer['kind'] }

/** The failure of a call that is not one of tRPC. */
export class CallFailed extends Error {
  override name = 'CallFailed'
  readonly failure: CoreFailure
  constructor(failure: CoreFailure) {
    super(failure.kind === 'refused' ? failure.message : failure.kind)
    this.failure = failure
  }
}

/** Classifies the failure of a call to core. Returns undefined for other errors. */
export function coreFailure(error: unknown): CoreFailure | undefined {
  if (error instanceof CallFailed) return error.failure
  if (!(error instanceof TRPCClientError)) return undefined
  const data: unknown = error.data
  if (typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string') {
    // Agents and terminals see the code as it is, so it must look like one of core's.
    if (!/^[A-Z_]{1,40}$/.test(data.code)) return { kind: 'not_core' }
    const status = 'httpStatus' in data && typeof data.httpStatus === 'number' ? data.httpStatus : 500
    const hint = 'hint' in data ? ErrorHint.safeParse(data.hint).data : undefined
    return { kind: 'refused', code: data.code, status, message: error.message, ...(hint ? { hint } : {}) }
  }
  const cause = error.cause
  if (cause instanceof NoAnswer) return { kind: cause.kind }
  if (cause?.name === 'TimeoutError') return { kind: 'timeout' }
  if (cause?.name === 'AbortError') return { kind: 'cancelled' }
  // There was no whole response.
  if (cause instanceof TypeError) return { kind: 'unreachable' }
  return { kind: 'not_core' }
}

/** True where core refused a call with this code. */
export function isRefusal(error: unknown, code: string): boolean {
  const failure = coreFailure(error)
  return failure?.kind === 'refused' && failure.code === code
}
