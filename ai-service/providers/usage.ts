export interface Usage {
  inputTokens: number
  /** Cached input tokens, which cost less. */
  cachedInputTokens: number
  outputTokens: number
}
