import type { Logger } from 'pino'
import { z } from 'zod'
import { fillPrompt, prompts } from '../prompts/prompts.ts'
import type { Redact } from '../secrets.ts'
import type { Completion, ModelClient, Turn } from './clients/client.ts'
import { ProviderFailure, describeFailure } from './failure.ts'
import type { ModelSettings } from './models.ts'
import type { CallOptions } from './provider.ts'
import { type ReadAnswer, readAnswer } from './read-answer.ts'
import { type RetryBudget, type RetryTiming, withRetries } from './retry.ts'
import { noSpending, spend } from './spending.ts'

/** The length of the invalid answer that is sent back to the model. */
const shownCharacters = 16_000

export interface Asking<Answer> {
  label: string
  system: string
  boundary: string
  user: string
  schema: z.ZodType<Answer>
  /** Keeps the valid parts of an answer that is invalid for the second time. */
  salvage?: z.ZodType<Answer>
  /** Says what is wrong with an answer in the right format. It goes to the model, and contains no repository text. */
  problemOf?: (answer: Answer) => string | undefined
  /** Whether the second answer is worse than a first one that has such a problem. */
  isWorse?: (second: Answer, first: Answer) => boolean
}

export interface Asker {
  model: ModelSettings
  redact: Redact
  ask<Answer>(asking: Asking<Answer>, options: CallOptions): Promise<Answer>
}

export interface AskerSettings {
  provider: string
  client: ModelClient
  model: ModelSettings
  redact: Redact
  logger: Logger
  /** For one answer, including waits, retries and the repair. */
  timeLimitMs: number
  timing: RetryTiming
}

/**
 * Requests one answer from a model of any provider. Retries temporary failures of the provider. If the answer is
 * invalid, asks once more with the problem, and then gives up.
 */
export function createAsker(settings: AskerSettings): Asker {
  const { provider, model, redact, timing } = settings

  return {
    model,
    redact,
    async ask(asking, options) {
      const limit = AbortSignal.timeout(settings.timeLimitMs)
      const budget: RetryBudget = {
        retriesLeft: timing.retries,
        deadline: performance.now() + settings.timeLimitMs,
        signal: AbortSignal.any([options.signal, limit]),
      }
      try {
        return await converse(asking, { ...settings, budget, options })
      } catch (error) {
        options.signal.throwIfAborted()
        if (limit.aborted) {
          throw new ProviderFailure(
            `${provider} did not answer within ${settings.timeLimitMs / 1_000} s. Increase AI_TIMEOUT_SECONDS, or request fewer results.`,
          )
        }
        throw error
      }
    },
  }
}

interface Conversation extends AskerSettings {
  budget: RetryBudget
  options: CallOptions
}

async function converse<Answer>(asking: Asking<Answer>, talk: Conversation): Promise<Answer> {
  const turns: Turn[] = [{ role: 'user', text: asking.user }]
  const first = await complete(asking, turns, talk)
  const read = readAnswer(first, asking.schema)
  const usable = 'answer' in read ? read : undefined
  const problem = 'answer' in read ? asking.problemOf?.(read.answer) : read.problem
  if (usable && problem === undefined) return usable.answer

  talk.logger.warn({ requestId: talk.options.requestId, prompt: asking.label, problem }, 'asking the model again')
  turns.push(
    { role: 'assistant', text: first.text.slice(0, shownCharacters).trim() || '(nothing)' },
    { role: 'user', text: fillPrompt(prompts.repair.text, { problem: problem ?? '' }) },
  )
  const better = (answer: Answer) => (usable && asking.isWorse?.(answer, usable.answer) ? usable.answer : answer)
  try {
    const second = await complete(asking, turns, talk)
    const repaired = readAnswer(second, asking.schema)
    if ('problem' in repaired) {
      const rest: ReadAnswer<Answer> = asking.salvage ? readAnswer(second, asking.salvage) : repaired
      if ('answer' in rest) return better(rest.answer)
      throw new ProviderFailure(
        `${talk.provider} gave two unusable answers in a row. ${repaired.problem} Try again, or choose another model.`,
      )
    }
    return better(repaired.answer)
  } catch (error) {
    // A first answer in the right format is better than an error.
    if (usable && !talk.options.signal.aborted) return usable.answer
    throw error
  }
}

async function complete<Answer>(
  asking: Asking<Answer>,
  turns: readonly Turn[],
  talk: Conversation,
): Promise<Completion> {
  const { provider, model, redact, budget, options } = talk
  const startedAt = performance.now()
  let attempts = 0
  const completion = await withRetries(
    async () => {
      attempts++
      try {
        return await talk.client.complete({
          label: asking.label,
          system: asking.system,
          boundary: asking.boundary,
          turns,
          schema: jsonSchemaOf(asking.schema),
          maxTokens: model.outputTokens,
          signal: budget.signal,
        })
      } catch (error) {
        const failure = describeFailure(error, { provider, model: model.name, redact })
        const { message, detail } = failure
        talk.logger.warn(
          { requestId: options.requestId, prompt: asking.label, attempts, message, detail },
          'model did not answer',
        )
        throw failure
      }
    },
    budget,
    talk.timing,
  )
  const durationMs = completion.durationMs ?? Math.round(performance.now() - startedAt)
  const spent = noSpending()
  for (const spending of [spent, options.spending ?? noSpending()]) {
    spend(spending, { usage: completion.usage, durationMs }, model)
  }
  const { ending } = completion
  talk.logger.info(
    { requestId: options.requestId, provider, ...spent, prompt: asking.label, attempts, ending },
    'model answered',
  )
  if (completion.ending === 'refused')
    throw new ProviderFailure(
      `${provider} refused to answer: ${model.name} or a content filter of the provider declined the request.`,
    )
  return completion
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema)
  return json
}
