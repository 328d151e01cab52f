import OpenAI from 'openai'
import { z } from 'zod'
import type { ModelSettings } from '../models.ts'
import { boundedFetch } from './bounded-fetch.ts'
import type { ClientAccess, Completion, ModelClient, Question } from './client.ts'
import { isRefusedRequest, withSchema } from './plain-json.ts'

const officialUrl = 'https://api.openai.com/v1'
/** Longer than every request: the signal of the caller ends a request. */
const timeout = 15 * 60_000

/** The features to use: compatible servers reject unknown ones. */
const levels = ['schema', 'object', 'plain'] as const
type Level = (typeof levels)[number]

const Reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().default(0),
      completion_tokens: z.number().default(0),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
})

/** OpenAI chat completions, which many other servers support. */
export function createOpenAiClient({ apiKey, baseUrl, model }: ClientAccess): ModelClient {
  const client = new OpenAI({
    apiKey,
    baseURL: baseUrl ?? officialUrl,
    // Undefined would let the package read them from the environment.
    organization: null,
    project: null,
    maxRetries: 0,
    timeout,
    logLevel: 'off',
    fetch: boundedFetch,
  })
  let known: Level | undefined

  async function ask(question: Question, level: Level): Promise<Completion> {
    const reply = await client.chat.completions.create(requestOf(question, level, { model, isOfficial: !baseUrl }), {
      signal: question.signal,
    })
    known = level
    return read(Reply.parse(reply))
  }

  return {
    async complete(question) {
      let refusal: unknown
      for (const level of levels.slice(known === undefined ? 0 : levels.indexOf(known))) {
        try {
          return await ask(question, level)
        } catch (error) {
          if (!isRefusedRequest(error)) throw error
          // Reports why the full request was refused.
          refusal ??= error
        }
      }
      throw refusal
    },
  }
}

interface Setting {
  model: ModelSettings
  isOfficial: boolean
}

function requestOf(question: Question, level: Level, { model, isOfficial }: Setting) {
  const { system, turns, schema, maxTokens } = question
  const isNew = level === 'schema' && (isOfficial || model.effort !== undefined)
  return {
    model: model.name,
    messages: [
      { role: 'system' as const, content: level === 'schema' ? system : withSchema(system, schema) },
      ...turns.map(({ role, text }) => ({ role, content: text })),
    ],
    ...(level === 'schema' && {
      response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', strict: true, schema } },
    }),
    ...(level === 'object' && { response_format: { type: 'json_object' as const } }),
    // Reasoning models count their reasoning too and do not support `max_tokens`; other servers support only that.
    ...(isNew ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(isNew && model.effort && { reasoning_effort: model.effort }),
  }
}

function read({ choices: [choice], usage }: z.infer<typeof Reply>): Completion {
  const refused = choice?.finish_reason === 'content_filter' || Boolean(choice?.message.refusal)
  return {
    text: choice?.message.content ?? '',
    ending: refused ? 'refused' : choice?.finish_reason === 'length' ? 'cut' : 'complete',
    usage: {
      inputTokens: usage?.prompt_tokens ?? 0,
      cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
    },
  }
}
