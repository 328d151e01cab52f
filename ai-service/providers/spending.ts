import type { Usage } from './usage.ts'
import { type ModelSettings, costOf } from './models.ts'

/** The usage of one request, summed over all calls to the model. */
export interface Spending {
  model?: string
  inputTokens: number
  outputTokens: number
  durationMs: number
  /** Undefined if the price of the model is unknown. */
  costUsd?: number | undefined
}

export const noSpending = (): Spending => ({ inputTokens: 0, outputTokens: 0, durationMs: 0 })

export function spend(
  spending: Spending,
  { usage, durationMs }: { usage: Usage; durationMs: number },
  model: ModelSettings,
) {
  const cost = costOf(usage, model)
  spending.model = model.name
  spending.inputTokens += usage.inputTokens
  spending.outputTokens += usage.outputTokens
  spending.durationMs += durationMs
  if (cost !== undefined) spending.costUsd = (spending.costUsd ?? 0) + cost
}

/** Returns the response headers for the usage. */
export function spendingHeaders(provider: string, { model, inputTokens, outputTokens, costUsd }: Spending) {
  return {
    'X-AI-Provider': provider,
    ...(model !== undefined && {
      // The name of a model may contain characters that a header must not.
      'X-AI-Model': encodeURI(model),
      'X-AI-Input-Tokens': String(inputTokens),
      'X-AI-Output-Tokens': String(outputTokens),
    }),
    ...(costUsd !== undefined && { 'X-AI-Cost-USD': costUsd.toFixed(6) }),
  }
}
