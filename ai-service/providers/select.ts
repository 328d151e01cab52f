import type { ProviderName } from '../schema.ts'

export interface ProviderSettings {
  AI_PROVIDER?: ProviderName | undefined
  PROVIDER_A_API_KEY?: string | undefined
  PROVIDER_B_API_KEY?: string | undefined
}

export interface Selection {
  name: ProviderName
  /** Why it was chosen, for messages. */
  by: keyof ProviderSettings | 'default'
}

/** The specification's order: the explicit choice, then b's key alone, then a's key, then the mock. */
export function selectProvider(settings: ProviderSettings): Selection {
  if (settings.AI_PROVIDER) return { name: settings.AI_PROVIDER, by: 'AI_PROVIDER' }
  if (settings.PROVIDER_B_API_KEY && !settings.PROVIDER_A_API_KEY) {
    return { name: 'provider_b', by: 'PROVIDER_B_API_KEY' }
  }
  if (settings.PROVIDER_A_API_KEY) return { name: 'provider_a', by: 'PROVIDER_A_API_KEY' }
  return { name: 'mock', by: 'default' }
}
