import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type AnyRouter, getTRPCErrorFromUnknown, getTRPCErrorShape, TRPCError } from '@trpc/server'
import { resolveResponse, type TRPCRequestInfo } from '@trpc/server/http'
import type Koa from 'koa'
import { invalid, isFault } from '../base/errors.ts'
import type { CreateContext, Calls } from './route.ts'
import { describeRpcError, knownCause } from './trpc.ts'
import { bodyLimits, readBody, requireFewValues, requireJson, textOf } from './body.ts'
import { setAside } from './set-aside.ts'
import type { RequestState } from './request-state.ts'
import type { JsonTexts } from './set-aside.ts'

const prefix = '/trpc/'
const maxBatchSize = 50

/**
 * Serves the RPC endpoint with tRPC's resolver, and adds the error fields of the specification to tRPC's.
 *
 * tRPC's Node adapter builds a Fetch request and two web streams for each call, which costs more than everything else.
 * The resolver needs only the few members that `rpcRequest` provides.
 */
export function rpc(router: AnyRouter, createContext: CreateContext): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    if (!ctx.path.startsWith(prefix)) {
      await next()
      return
    }
    const path = procedurePath(ctx.path)
    let refused: unknown
    const texts: JsonTexts = []
    const response = await resolveResponse({
      router,
      req: rpcRequest(ctx, path, texts),
      path,
      error: wrongType(ctx.req),
      allowBatching: true,
      allowMethodOverride: true,
      maxBatchSize,
      createContext: async ({ info }) => {
        try {
          return { ...(await createContext(ctx, callsOf(info), bodyLimitOf(path), 'requests')), texts }
        } catch (error) {
          refused = error
          throw error
        }
      },
      onError({ error, path: procedure }) {
        const known = knownCause(error)
        for (const [name, value] of Object.entries(known?.headers ?? {})) ctx.set(name, value)
        if (known ? !isFault(known) : describeRpcError(error).httpStatus < 500) return
        ctx.state.log.error(
          { err: known?.cause ?? error.cause ?? error, requestId: ctx.state.requestId, procedure },
          'procedure failed',
        )
      },
    })
    ctx.status = response.status
    // `Vary` values add up; tRPC's other headers replace ours.
    response.headers.forEach((value, name) => (name === 'vary' ? ctx.vary(value) : ctx.set(name, value)))
    if (response.headers.get('transfer-encoding') === 'chunked' && response.body) {
      ctx.remove('transfer-encoding')
      if (refused !== undefined) {
        await response.body.cancel()
        answerWhole(ctx, router, refused)
        return
      }
      ctx.body = Readable.fromWeb(response.body)
      return
    }
    const body = await response.text()
    ctx.body = response.status === 200 || body === '' ? body : withSpecifiedFields(body)
  }
}

function callsOf({ type, calls }: TRPCRequestInfo): Calls {
  return { kind: type === 'query' ? 'queries' : 'mutations', count: calls.length }
}

/** Answers a refused stream with an error status. Otherwise a stream starts with 200 before any of its calls ends. */
function answerWhole(ctx: Koa.ParameterizedContext<RequestState>, router: AnyRouter, thrown: unknown): void {
  const error = getTRPCErrorFromUnknown(thrown)
  const config = router._def._config
  const shape = getTRPCErrorShape({ config, error, type: 'unknown', path: undefined, input: undefined, ctx: undefined })
  ctx.status = shape.data.httpStatus
  ctx.body = JSON.stringify(widen({ error: shape }))
  ctx.type = 'application/json'
}

/** Accepts only JSON. tRPC would also accept forms and byte streams. */
function wrongType(req: IncomingMessage): TRPCError | null {
  try {
    requireJson(req)
    return null
  } catch (cause) {
    return new TRPCError({ code: 'UNSUPPORTED_MEDIA_TYPE', cause })
  }
}

function rpcRequest(ctx: Koa.ParameterizedContext<RequestState>, path: string, texts: JsonTexts): Request {
  const { req } = ctx
  const headers = {
    get(name: string) {
      // `wrongType` has checked it. A call without input may have no body and therefore no content type.
      if (name === 'content-type') return 'application/json'
      const value = req.headers[name.toLowerCase()]
      return (Array.isArray(value) ? value.join(', ') : value) ?? null
    },
  }
  const text = async () => {
    const body = await readBody(req, bodyLimitOf(path))
    if (body.length === 0) return undefined
    if (takesAnalysis(path)) return setAside(body, analysisMember, texts)
    requireFewValues(body)
    return textOf(body)
  }
  const minimal = { method: req.method, url: `http://core${req.url}`, headers, signal: ctx.state.signal, text }
  // Safe as long as the resolver reads nothing else; the tests of this file would fail otherwise.
  return minimal as unknown as Request
}

/** Rejects other spellings of a procedure name, because limits and body sizes depend on the name. */
function procedurePath(target: string): string {
  const path = target.slice(prefix.length).replaceAll(/%2c/gi, ',')
  if (path.includes('%')) throw invalid('Procedure names must not be percent-encoded.')
  return path
}

/** The member of an input that is a whole analysis, and the procedure that takes it. */
const analysisMember = 'analysisOverride'
const takesAnalysis = (path: string) => path.split(',').every((procedure) => procedure === 'analysis.suggestTests')

const bodyLimitOf = (path: string) => (takesAnalysis(path) ? bodyLimits.analysis : bodyLimits.json)

interface TrpcFailure {
  error: { message: string; data: { code: string } }
}

/** Adds the error fields of the specification beside tRPC's error envelope. */
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
