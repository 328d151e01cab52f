import type { Usage } from './usage.ts'
import { type ModelSettings, costOf } from './models.ts'

/** What one request of a caller has used, over all that its answer took. */
export interface Spending {
  model?: string
  inputTokens: number
  outputTokens: number
  durationMs: number
  /** Undefined where the price of the model is not known. */
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

/** For the answer's headers. */
export function spendingHeaders(provider: string, { model, inputTokens, outputTokens, costUsd }: Spending) {
  return {
    'X-AI-Provider': provider,
    ...(model !== undefined && {
      // A model's name is free text, and a header is not.
      'X-AI-Model': encodeURI(model),
      'X-AI-Input-Tokens': String(inputTokens),
      'X-AI-Output-Tokens': String(outputTokens),
    }),
    ...(costUsd !== undefined && { 'X-AI-Cost-USD': costUsd.toFixed(6) }),
  }
}
