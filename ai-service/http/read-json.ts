import type { ParameterizedContext } from 'koa'
import getRawBody from 'raw-body'
import type { z } from 'zod'
import { invalid, payloadTooLarge, unsupportedMediaType } from '../errors.ts'
import type { State } from './announce.ts'

const maxBodyBytes = 8 * 1_048_576

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a JSON body of at most 8 MiB. Stops reading a larger one. */
export async function readJson<Schema extends z.ZodType>(
  ctx: ParameterizedContext<State>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  refuseOtherTypes(ctx)
  const bytes = await readBytes(ctx)
  const parsed = schema.safeParse(parseJson(bytes))
  if (!parsed.success) throw invalid(describeIssues(parsed.error))
  return parsed.data
}

function refuseOtherTypes(ctx: ParameterizedContext<State>) {
  const hasBody = ctx.get('Transfer-Encoding') !== '' || (ctx.request.length ?? 0) > 0
  if (!hasBody) return
  if (!ctx.is('application/json', '+json')) {
    throw unsupportedMediaType('Send JSON with "Content-Type: application/json".')
  }
  if (ctx.request.charset && ctx.request.charset.toLowerCase() !== 'utf-8') {
    throw unsupportedMediaType('Send JSON in UTF-8.')
  }
  if (!['', 'identity'].includes(ctx.get('Content-Encoding').toLowerCase())) {
    throw unsupportedMediaType('Send JSON without a Content-Encoding.')
  }
}

async function readBytes(ctx: ParameterizedContext<State>): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit: maxBodyBytes, length: ctx.get('Content-Length') || null })
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined
    if (type === 'entity.too.large') throw payloadTooLarge('The body is larger than 8 MiB. Send a smaller analysis.')
    if (type === 'request.aborted') throw invalid('The body ended before it was complete.')
    throw error
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalid('The body is not valid JSON in UTF-8.')
  }
}

/** Names only the first invalid fields, because a large analysis can have thousands. */
function describeIssues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  const more = error.issues.length - shown.length
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`.slice(0, 1_000)
}
