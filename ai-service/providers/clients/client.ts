import type { Usage } from '../usage.ts'
import type { ModelSettings } from '../models.ts'

export interface ClientAccess {
  apiKey: string
  baseUrl: string | undefined
  model: ModelSettings
}

export interface Turn {
  role: 'user' | 'assistant'
  text: string
}

/** One request to a model. */
export interface Question {
  /** Name and version of the prompt, for logs and recordings. */
  label: string
  system: string
  /** The random mark around repository text. The digest of a request excludes it. */
  boundary: string
  turns: readonly Turn[]
  /** The JSON schema of the answer. */
  schema: Record<string, unknown>
  maxTokens: number
  signal: AbortSignal
}

export interface Completion {
  text: string
  /** `cut` at the token limit; `refused` by the model or a content filter. */
  ending: 'complete' | 'cut' | 'refused'
  usage: Usage
  /** Set for a recorded answer. */
  durationMs?: number
}

/**
 * The client of a wire format. It sends one request without retries, does not check the answer, and throws the errors of
 * the provider's package.
 */
export interface ModelClient {
  complete(question: Question): Promise<Completion>
}
