import type { Usage } from './usage.ts'

/** US dollars per million tokens, at the standard rates of November 2026. */
interface Price {
  input: number
  /** Undefined if cached input costs the same. */
  cachedInput?: number
  output: number
}

interface KnownModel {
  price: Price
  /** Reasoning models use little reasoning, because a test must be written in seconds and is verified by running it. */
  effort?: 'low'
}

export interface ModelSettings {
  name: string
  /** The maximum tokens of a prompt and of an answer. */
  inputTokens: number
  outputTokens: number
  effort?: 'low' | undefined
  price?: Price | undefined
}

export const defaultModels = { provider_a: 'gpt-6.1-terra', provider_b: 'claude-sonnet-5-5' } as const

const known: Record<string, KnownModel> = {
  'gpt-6.1-sol': { price: { input: 2, output: 10 }, effort: 'low' },
  'gpt-6.1-terra': { price: { input: 1, cachedInput: 0.05, output: 5 }, effort: 'low' },
  'gpt-5.6-sol': { price: { input: 5, cachedInput: 0.5, output: 30 }, effort: 'low' },
  'gpt-5.6-terra': { price: { input: 2, cachedInput: 0.2, output: 12 }, effort: 'low' },
  'gpt-5.6-luna': { price: { input: 0.2, cachedInput: 0.02, output: 1.2 }, effort: 'low' },
  'claude-opus-5-5': { price: { input: 4, output: 20 }, effort: 'low' },
  'claude-opus-5': { price: { input: 5, cachedInput: 0.5, output: 25 }, effort: 'low' },
  'claude-sonnet-5-5': { price: { input: 2, cachedInput: 0.2, output: 10 }, effort: 'low' },
  'claude-sonnet-5': { price: { input: 2, cachedInput: 0.2, output: 10 }, effort: 'low' },
  'claude-haiku-4-5': { price: { input: 1, output: 5 } },
}

/** Known models have a context of at least 200,000 tokens. Others may be small models on the user's machine. */
const window = { known: { input: 100_000, output: 16_000 }, unknown: { input: 24_000, output: 4_096 } }

export interface ModelChoice {
  model: string | undefined
  inputTokens: number | undefined
  outputTokens: number | undefined
}

export function modelSettings(provider: keyof typeof defaultModels, choice: ModelChoice): ModelSettings {
  const name = choice.model ?? defaultModels[provider]
  const model = Object.hasOwn(known, name) ? known[name] : undefined
  const limits = model ? window.known : window.unknown
  return {
    name,
    inputTokens: choice.inputTokens ?? limits.input,
    outputTokens: choice.outputTokens ?? limits.output,
    effort: model?.effort,
    price: model?.price,
  }
}

/** Returns the cost in US dollars; undefined if the price of the model is unknown. */
export function costOf(usage: Usage, { price }: ModelSettings): number | undefined {
  if (!price) return undefined
  const { inputTokens, cachedInputTokens, outputTokens } = usage
  const input = (inputTokens - cachedInputTokens) * price.input + cachedInputTokens * (price.cachedInput ?? price.input)
  return (input + outputTokens * price.output) / 1_000_000
}
