import { z } from 'zod'
import type { Context } from '../base/context.ts'
import { AppError, internal, timeout } from '../base/errors.ts'
import { type AiGenerateRequest, AiGenerateResponse, type AiSuggestRequest, AiSuggestResponse } from './schema.ts'

const maxAnswerBytes = 8 * 1_048_576

/** The answer of the AI service, and how many tokens of the model it took; null if no model was asked. */
export type WithUsage<Answer> = Answer & { tokensUsed: number | null }

/** Requests suggestions from the AI service. Its failures become errors that say what to start or configure. */
export function requestSuggestions(ctx: Context, request: AiSuggestRequest): Promise<WithUsage<AiSuggestResponse>> {
  return callAiService(ctx, '/suggest-tests', request, AiSuggestResponse)
}

/** Requests tests from the AI service. Fails like `requestSuggestions`. */
export function requestTests(ctx: Context, request: AiGenerateRequest): Promise<WithUsage<AiGenerateResponse>> {
  return callAiService(ctx, '/generate-tests', request, AiGenerateResponse)
}

async function callAiService<Schema extends z.ZodObject>(
  ctx: Context,
  path: string,
  request: unknown,
  schema: Schema,
): Promise<WithUsage<z.infer<Schema>>> {
  const { answer, tokensUsed } = await post(ctx, path, request)
  const parsed = schema.safeParse(answer)
  if (parsed.success) return { ...parsed.data, tokensUsed }
  throw internal('The response of the AI service has an unknown format. Check that its version matches.', {
    cause: parsed.error,
  })
}

async function post(
  ctx: Context,
  path: string,
  body: unknown,
): Promise<{ answer: unknown; tokensUsed: number | null }> {
  const { url, secret, timeoutMs } = ctx.config.ai
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': ctx.requestId,
        ...(secret ? { authorization: `Bearer ${secret}` } : {}),
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([deadline, ctx.signal]),
    })
    const text = await readBounded(response)
    if (response.ok) return { answer: parse(text), tokensUsed: tokensOf(response.headers) }
    ctx.log.warn({ status: response.status, answer: text.slice(0, 1_000) }, 'AI service refused')
    throw internal(refusal(response.status, parse(text)))
  } catch (error) {
    if (error instanceof AppError) throw error
    if (deadline.aborted) {
      throw timeout(
        `The AI service did not answer within ${timeoutMs / 1_000} s. Try again, or raise AI_TIMEOUT_SECONDS.`,
        {
          cause: error,
        },
      )
    }
    throw internal(
      `The AI service does not answer at ${url}. Start it there, or unset AI_SERVICE_URL: npm start then starts its own.`,
      {
        cause: error,
      },
    )
  }
}

/** Sums up what the headers of an answer say about the model's input and output. */
function tokensOf(headers: Headers): number | null {
  const counts = ['x-ai-input-tokens', 'x-ai-output-tokens'].flatMap((name) => {
    const count = z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000_000)
      .safeParse(headers.get(name) ?? undefined)
    return count.success ? [count.data] : []
  })
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
}

/** Text that is not JSON is returned as is, and then fails the response schema. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The only error of the AI service with a message for users. It contains no text of the provider. */
const AnalysisFailed = z.object({ code: z.literal('ANALYSIS_FAILED'), message: z.string().min(1).max(1_000) })

function refusal(status: number, answer: unknown): string {
  if (status === 401) return 'The AI service refused the shared secret. Set the same AI_SERVICE_SECRET for both.'
  const failed = AnalysisFailed.safeParse(answer)
  if (failed.success) return `The AI service failed: ${failed.data.message}`
  return `The AI service failed with status ${status}. Its log contains the details.`
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxAnswerBytes) throw internal('The AI service sent more than 8 MiB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
