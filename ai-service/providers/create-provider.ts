import type { Logger } from 'pino'
import type { AiConfig } from '../config.ts'
import { createRedact } from '../secrets.ts'
import { createAsker } from './ask.ts'
import type { ModelClient } from './clients/client.ts'
import { createMockProvider } from './mock.ts'
import { createModelProvider } from './model-provider.ts'
import { modelSettings } from './models.ts'
import type { Provider } from './provider.ts'
import { recordTo, replayFrom } from './recordings.ts'
import { type RetryTiming, usualTiming } from './retry.ts'

export interface ProviderOverrides {
  timing?: Partial<RetryTiming>
}

/** Creates the configured provider, with recording or replay if configured. */
export function createProvider(config: AiConfig, logger: Logger, overrides: ProviderOverrides = {}): Provider {
  const { provider } = config
  if (provider === 'mock') return createMockProvider()

  const access = config.access[provider]
  const model = modelSettings(provider, access)
  const redact = createRedact([config.access.provider_a.apiKey, config.access.provider_b.apiKey, config.secret])
  const recorded = { folder: config.replayFrom ?? config.recordTo ?? '', provider, model: model.name, redact }
  const asker = createAsker({
    provider,
    model,
    redact,
    logger,
    client: config.replayFrom ? replayFrom(recorded) : liveClient(),
    timeLimitMs: config.timeLimitMs,
    timing: { ...usualTiming, ...overrides.timing },
  })
  return createModelProvider(provider, asker)

  function liveClient(): ModelClient {
    const given = { apiKey: access.apiKey ?? 'none', baseUrl: access.baseUrl, model }
    const client = whenNeeded(async () =>
      provider === 'provider_a'
        ? (await import('./clients/openai.ts')).createOpenAiClient(given)
        : (await import('./clients/anthropic.ts')).createAnthropicClient(given),
    )
    return config.recordTo ? recordTo({ ...recorded, logger }, client) : client
  }
}

/** Loads the large packages of the providers on demand, because the mock does not need them. */
function whenNeeded(load: () => Promise<ModelClient>): ModelClient {
  let loading: Promise<ModelClient> | undefined
  return { complete: async (question) => (await (loading ??= load())).complete(question) }
}
