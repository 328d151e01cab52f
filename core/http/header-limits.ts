import type Koa from 'koa'
import { invalid } from '../base/errors.ts'

/**
 * The longest value of each header that the server reads. Every one is far longer than clients send it, and short enough
 * that no way of reading it takes long. Cookies have a limit of their own, because other sites of a domain add to them.
 */
export const headerLimits: Readonly<Record<string, number>> = {
  accept: 2_048,
  'access-control-request-headers': 2_048,
  'access-control-request-method': 64,
  authorization: 4_096,
  'content-length': 32,
  'content-type': 1_024,
  'idempotency-key': 512,
  'if-modified-since': 128,
  'if-none-match': 4_096,
  'if-range': 512,
  'last-event-id': 512,
  host: 512,
  origin: 1_024,
  purpose: 128,
  range: 512,
  'sec-fetch-site': 64,
  'sec-purpose': 128,
  'stripe-signature': 4_096,
  traceparent: 512,
  'transfer-encoding': 128,
  'trpc-accept': 128,
  'x-codehost-delivery': 512,
  'x-codehost-event': 512,
  'x-codehost-signature': 512,
  'x-codehost-signature-256': 512,
  'x-forgejo-delivery': 512,
  'x-forgejo-event': 512,
  'x-forgejo-signature': 512,
  'x-forwarded-for': 4_096,
  'x-forwarded-host': 1_024,
  'x-forwarded-proto': 256,
  'x-gitea-delivery': 512,
  'x-gitea-event': 512,
  'x-gitea-signature': 512,
  'x-github-delivery': 512,
  'x-github-event': 512,
  'x-gitlab-event': 512,
  'x-gitlab-event-uuid': 512,
  'x-gitlab-token': 512,
  'x-hub-signature': 512,
  'x-hub-signature-256': 512,
  'x-moz': 128,
  'x-purpose': 128,
  'x-request-id': 1_024,
  'x-svc-project': 512,
}

/** Rejects a request with a header that is longer than its limit, before anything matches the header. */
export const boundedHeaders: Koa.Middleware = async (koa, next) => {
  for (const [name, value] of Object.entries(koa.req.headers)) {
    const max = headerLimits[name]
    const length = typeof value === 'string' ? value.length : (value?.join(', ').length ?? 0)
    if (max !== undefined && length > max) throw invalid(`The header ${name} may have at most ${max} characters.`)
  }
  await next()
}
