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
  /** The random mark around repository text. It is no part of the digest of a request. */
  boundary: string
  turns: readonly Turn[]
  /** What the answer must look like, as JSON schema. */
  schema: Record<string, unknown>
  maxTokens: number
  signal: AbortSignal
}

export interface Completion {
  text: string
  /** `cut` at the limit of tokens; `refused` by the model or a filter before it. */
  ending: 'complete' | 'cut' | 'refused'
  usage: Usage
  /** Of an answer that was recorded. */
  durationMs?: number
}

/**
 * A wire format. It asks once: it neither tries again nor judges the answer, and whatever goes wrong it throws as the
 * provider's package throws it.
 */
export interface ModelClient {
  complete(question: Question): Promise<Completion>
}
