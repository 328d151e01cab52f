import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import packageJson from '../../package.json' with { type: 'json' }
import { User } from '../identity/users/schema.ts'
import { type ErrorCode, errorMappings } from '../base/errors.ts'
import type { Contract } from '../http/contract.ts'
import { ErrorBody } from '../http/error-body.ts'
import { requiredScopes } from '../scopes.ts'
import { sessionCookie } from '../identity/sessions/cookie.ts'
import { Session } from '../identity/sessions/schema.ts'
import { TestRunSummary } from '../test-runs/schema.ts'
import { about } from './about.ts'

/** The facts about a route that the document shows. */
export interface RestRoute {
  method: 'GET' | 'POST'
  /** In the syntax of the router: `/api/v1/projects/:id`. */
  path: string
  contract: Contract
  /** `exempt` routes know no caller and no rate limit, `documentation` routes no caller; `public` routes need no credential. */
  access: 'exempt' | 'documentation' | 'public' | 'caller'
}

/** Creates the OpenAPI document from the schemas with which the routes parse requests and responses. */
export function createOpenApiDocument(routes: readonly RestRoute[]) {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = route.path.replace(/[:*](\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Assay',
        version: packageJson.version,
        description: about,
      },
      // Relative, so that clients send credentials only to the server that served the document.
      servers: [{ url: '/' }],
      paths,
      components: {
        schemas: { Error: ErrorBody, User, Session, TestRun: TestRunSummary },
        headers,
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_', description: 'An API token' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookie,
            description: 'The session cookie that sign-in sets',
          },
        },
      },
    },
    { override: adapt },
  )
}

const headers = {
  'X-Request-Id': { description: 'The id of the request, which the server also logs', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Calls allowed in the period', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Calls left in the period', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'The end of the period, in epoch seconds', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' } },
} as const

function operation({ method, path, contract, access }: RestRoute): ZodOpenApiOperationObject {
  const { name, summary, description, query, body, form, bytes, headers, session } = contract
  const params = [...path.matchAll(/[:*](\w+)/g)].map(([, param = '']) => [param, z.string()] as const)
  const scope = requiredScopes[`${method} ${path}`]
  const byToken = session === 'required' ? [] : [{ token: scope ? [scope] : [] }]
  return {
    operationId: name,
    tags: [path.match(/^\/(?:api\/)?(?:v1\/)?([\w-]+)/)?.[1] ?? 'api'],
    summary,
    ...(description ? { description } : {}),
    security: access === 'caller' ? [...byToken, { session: [] }] : session ? [{}, { session: [] }] : [],
    ...(query || headers || params.length > 0
      ? {
          requestParams: {
            ...(query ? { query } : {}),
            ...(headers ? { header: headers } : {}),
            ...(params.length > 0 ? { path: pathSchema(params) } : {}),
          },
        }
      : {}),
    ...(form ? { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } } : {}),
    ...(bytes ? { requestBody: { required: true, content: { [bytes]: { schema: binary } } } } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse({}).success,
            content: { 'application/json': { schema: body } },
          },
        }
      : {}),
    responses: responses({ method, path, contract, access }, params.length > 0),
  }
}

const binary = { type: 'string', format: 'binary' } as const

const pathSchema = (params: (readonly [string, z.ZodString])[]) => z.object(Object.fromEntries(params))

function responses({ method, contract, access }: RestRoute, hasParams: boolean) {
  const usesDatabase = access === 'caller' || access === 'public'
  const codes: ErrorCode[] = [
    ...(access === 'exempt' ? [] : (['RATE_LIMITED'] as const)),
    ...(usesDatabase ? (['VALIDATION_ERROR', 'UNAUTHORIZED', 'INTERNAL_ERROR', 'UNAVAILABLE'] as const) : []),
    ...(access === 'caller' || (access === 'public' && method === 'POST') ? (['FORBIDDEN'] as const) : []),
    ...(hasParams ? (['NOT_FOUND'] as const) : []),
    ...(contract.body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(contract.errors ?? []),
  ]
  const all = Object.fromEntries(codes.map((code) => [`${errorMappings[code].status}` as const, failures[code]]))
  for (const [status, shape] of Object.entries(contract.answers)) {
    const key = `${Number(status)}` as const
    // A contract can give a status that errors use, too, a shape of its own.
    const both = all[key] && shape instanceof z.ZodType ? z.union([shape, ErrorBody]) : shape
    all[key] = response(Number(status), both, access, contract.contentType)
  }
  return all
}

function response(
  status: number,
  shape: z.ZodType | string,
  access: RestRoute['access'],
  contentType = '*/*',
): ZodOpenApiResponseObject {
  const names = [
    'X-Request-Id',
    ...(access === 'exempt' ? [] : ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
    ...(status === 429 ? ['Retry-After'] : []),
  ]
  return {
    description: typeof shape === 'string' ? shape : (STATUS_CODES[status] ?? ''),
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(typeof shape === 'string' ? {} : { content: { 'application/json': { schema: shape } } }),
    ...(typeof shape === 'string' && status < 300 && status !== 204 ? { content: { [contentType]: {} } } : {}),
  }
}

/** One response for each error code. The document lists the used ones among its components. */
const failures = Object.fromEntries<ZodOpenApiResponseObject>(
  Object.entries(errorMappings).map(([code, { status }]) => {
    const example = {
      error: STATUS_CODES[status],
      message: 'What happened, and what to do next',
      code,
      ...(status === 429 || status === 503 ? { retryAfter: 30 } : {}),
      ...(status === 500 ? { requestId: '5f0c1c1e-3d0f-4a52-9a57-2f9f1f6b7a10' } : {}),
    }
    const content = { 'application/json': { schema: ErrorBody, example } }
    return [code, { ...response(status, ErrorBody, 'public'), content, id: code }]
  }),
) as Record<ErrorCode, ZodOpenApiResponseObject>

const unlimited = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

/** Allows new fields in responses, because a version may add them, and omits bounds and patterns that say nothing. */
const adapt: CreateDocumentOptions['override'] = ({ jsonSchema, zodSchema, io }) => {
  const { def } = zodSchema._zod
  if (io === 'output') delete jsonSchema.additionalProperties
  if (def.type === 'default') jsonSchema.default = def.defaultValue
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (unlimited.includes(jsonSchema.minimum ?? 0)) delete jsonSchema.minimum
  if (unlimited.includes(jsonSchema.maximum ?? 0)) delete jsonSchema.maximum
}
