import { createHash } from 'node:crypto'
import type Koa from 'koa'
import { z } from 'zod'
import type { Contract } from '../http/contract.ts'
import type { Answer } from '../http/route.ts'
import { createOpenApiDocument, type RestRoute } from './document.ts'

/** A route that needs neither the database nor a caller. */
export interface StaticRoute {
  (koa: Koa.ParameterizedContext): Answer
  contract?: Contract
}

export const showHealth: StaticRoute = Object.assign(() => ({ status: 200, body: { ok: true } }), {
  contract: {
    name: 'getHealth',
    summary: 'Reports that the server is running',
    answers: { 200: z.object({ ok: z.boolean() }) },
  },
})

/** `GET /api/openapi.json`: created by the first request. A caller that has the document gets 304. */
export function showDocument(routes: () => RestRoute[]): StaticRoute {
  let made: { body: string; headers: Record<string, string> } | undefined
  const show = (koa: Koa.ParameterizedContext): Answer => {
    made ??= makeDocument(routes())
    koa.status = 200
    koa.set('ETag', made.headers['ETag'] ?? '')
    return koa.fresh ? { status: 304, headers: made.headers } : { status: 200, ...made }
  }
  return Object.assign(show, {
    contract: {
      name: 'getOpenApiDocument',
      summary: 'Returns this document',
      answers: {
        200: z.looseObject({ openapi: z.string() }),
        304: 'The document still has the ETag of `If-None-Match`',
      },
    },
  })
}

function makeDocument(routes: RestRoute[]) {
  const body = JSON.stringify(createOpenApiDocument(routes))
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  return {
    body,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache', ETag: etag },
  }
}
