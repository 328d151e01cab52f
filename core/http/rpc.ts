import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { TRPCError } from '@trpc/server'
import { resolveResponse } from '@trpc/server/http'
import type Koa from 'koa'
import type { Context } from '../context.ts'
import { appRouter } from '../router.ts'
import { describeRpcError, knownCause } from '../trpc.ts'
import { bodyLimits, parseJson, readText, requireJson } from './body.ts'
import type { RequestState } from './request.ts'

const prefix = '/trpc/'
const maxBatchSize = 50

/**
 * The RPC door: hands the request to tRPC's own resolver and puts the specification's error fields beside tRPC's.
 *
 * tRPC's Node adapter builds a Fetch request and two web streams for each call, which costs more than all the rest; the
 * resolver needs none of them, only the few members that `rpcRequest` offers.
 */
export function rpc(
  createContext: (ctx: Koa.ParameterizedContext<RequestState>) => Promise<Context>,
): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix)) {
      await next()
      return
    }
    const path = ctx.path.slice(prefix.length)
    const response = await resolveResponse({
      router: appRouter,
      req: rpcRequest(ctx, path),
      path,
      error: wrongType(ctx.req),
      allowBatching: true,
      allowMethodOverride: true,
      maxBatchSize,
      createContext: () => createContext(ctx),
      onError({ error, path: procedure }) {
        const known = knownCause(error)
        for (const [name, value] of Object.entries(known?.headers ?? {})) ctx.set(name, value)
        if (describeRpcError(error).httpStatus < 500) return
        ctx.state.log.error(
          { err: known?.cause ?? error.cause ?? error, requestId: ctx.state.requestId, procedure },
          'procedure failed',
        )
      },
    })
    ctx.status = response.status
    response.headers.forEach((value, name) => ctx.set(name, value))
    if (response.headers.get('transfer-encoding') === 'chunked' && response.body) {
      ctx.remove('transfer-encoding')
      ctx.body = Readable.fromWeb(response.body)
      return
    }
    const body = await response.text()
    ctx.body = response.status === 200 || body === '' ? body : withSpecifiedFields(body)
  }
}

/** tRPC would also take forms and byte streams; ours is JSON alone. */
function wrongType(req: IncomingMessage): TRPCError | null {
  try {
    requireJson(req)
    return null
  } catch (cause) {
    return new TRPCError({ code: 'UNSUPPORTED_MEDIA_TYPE', cause })
  }
}

function rpcRequest(ctx: Koa.ParameterizedContext<RequestState>, path: string): Request {
  const { req } = ctx
  const headers = {
    get(name: string) {
      // `wrongType` has seen to it; a call without input may come without a body and thus without a type.
      if (name === 'content-type') return 'application/json'
      const value = req.headers[name.toLowerCase()]
      return (Array.isArray(value) ? value.join(', ') : value) ?? null
    },
  }
  const text = async () => {
    const isAnalysis = path.split(',').every((procedure) => procedure.startsWith('analysis.'))
    return (await readText(req, isAnalysis ? bodyLimits.analysis : bodyLimits.json)) || undefined
  }
  const json = async () => {
    const body = await text()
    return body === undefined ? undefined : parseJson(body)
  }
  const minimal = { method: req.method, url: `http://core${req.url}`, headers, signal: ctx.state.signal, text, json }
  // Safe as long as the resolver reads nothing else, which the tests of this file would show at once.
  return minimal as unknown as Request
}

interface TrpcFailure {
  error: { message: string; data: { code: string } }
}

/** The same failure in both shapes: tRPC's envelope for its clients, and the specification's fields beside it. */
function withSpecifiedFields(body: string): string {
  const parsed: unknown = JSON.parse(body)
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(widen) : widen(parsed))
}

function widen(answer: unknown): unknown {
  if (!isFailure(answer)) return answer
  const { message, data } = answer.error
  return { ...answer, message, code: data.code, data }
}

function isFailure(answer: unknown): answer is TrpcFailure {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}
