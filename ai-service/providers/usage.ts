export interface Usage {
  inputTokens: number
  /** Of the input tokens, those that the provider had read before and charges less for. */
  cachedInputTokens: number
  outputTokens: number
}
