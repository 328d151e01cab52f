import Anthropic from '@anthropic-ai/sdk'
import { z } from 'zod'
import { boundedFetch } from './bounded-fetch.ts'
import type { ClientAccess, Completion, ModelClient, Question } from './client.ts'
import { isRefusedRequest, withSchema } from './plain-json.ts'

const officialUrl = 'https://api.anthropic.com'
/** Longer than every request: the signal of the caller ends a request. */
const timeout = 15 * 60_000

const Reply = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
  }),
})

/** The Anthropic Messages API. */
export function createAnthropicClient({ apiKey, baseUrl, model }: ClientAccess): ModelClient {
  const client = new Anthropic({
    apiKey,
    // The package adds `/v1` itself, but users may configure the address with it, as for other tools.
    baseURL: baseUrl?.replace(/\/v1\/?$/, '') ?? officialUrl,
    maxRetries: 0,
    timeout,
    logLevel: 'off',
    fetch: boundedFetch,
  })
  let takesSchema: boolean | undefined

  async function ask(question: Question, hasSchema: boolean): Promise<Completion> {
    const { system, turns, schema, maxTokens, signal } = question
    const reply = await client.messages.create(
      {
        model: model.name,
        max_tokens: maxTokens,
        system: hasSchema ? system : withSchema(system, schema),
        messages: turns.map(({ role, text }) => ({ role, content: text })),
        ...(hasSchema && {
          output_config: {
            format: { type: 'json_schema' as const, schema },
            ...(model.effort && { effort: model.effort }),
          },
        }),
      },
      { signal },
    )
    takesSchema = hasSchema
    return read(Reply.parse(reply))
  }

  return {
    async complete(question) {
      if (takesSchema === false) return await ask(question, false)
      try {
        return await ask(question, true)
      } catch (error) {
        if (!isRefusedRequest(error) || takesSchema) throw error
        return await ask(question, false).catch((second: unknown) => {
          // Reports why the full request was refused.
          throw isRefusedRequest(second) ? error : second
        })
      }
    },
  }
}

function read({ content, stop_reason, usage }: z.infer<typeof Reply>): Completion {
  const cached = usage.cache_read_input_tokens ?? 0
  const isCut = stop_reason === 'max_tokens' || stop_reason === 'model_context_window_exceeded'
  return {
    text: content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join(''),
    ending: stop_reason === 'refusal' ? 'refused' : isCut ? 'cut' : 'complete',
    usage: {
      inputTokens: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cachedInputTokens: cached,
      outputTokens: usage.output_tokens,
    },
  }
}
