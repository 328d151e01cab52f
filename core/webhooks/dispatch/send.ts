import type { Services } from '../../base/context.ts'
import { decrypt } from '../../base/crypto.ts'
import { type AttemptOptions, attemptDelivery, type AttemptOutcome } from '../attempt.ts'
import { secretPlace } from '../secret.ts'
import { signDelivery, type Signing } from '../signature.ts'
import type { Claim } from './claim.ts'

const nothing = { responseStatus: null, responseHead: null, address: null, retryAfterMs: null, durationMs: 0 }

/** Signs and sends claimed deliveries. The function that it returns never rejects: every failure is an outcome. */
export function createSender({ config, log, now }: Pick<Services, 'config' | 'log' | 'now'>) {
  const options: AttemptOptions = {
    allowCidrs: config.outboundAllowCidrs,
    requireHttps: config.production,
    connectTimeoutMs: config.webhooks.connectTimeoutMs,
    timeoutMs: config.webhooks.timeoutMs,
  }

  /** Deliveries that were claimed together share their webhook, so that its secrets are decrypted once. */
  const decrypted = new WeakMap<Claim['webhook'], Signing['secrets']>()

  const secretsOf = (webhook: Claim['webhook'], at: Date): Signing['secrets'] => {
    const known = decrypted.get(webhook)
    if (known) return known
    const { id, secret, previousSecret, previousSecretUntil } = webhook
    const read = (encrypted: string) => decrypt(config.secretKey, secretPlace(id), encrypted)
    const overlaps = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > at
    const secrets = { current: read(secret), previous: overlaps ? read(previousSecret) : null }
    decrypted.set(webhook, secrets)
    return secrets
  }

  return async (claim: Claim, signal: AbortSignal): Promise<AttemptOutcome> => {
    const { id: deliveryId, body, event, attemptCount: attempt, webhook } = claim
    const at = now()
    try {
      const secrets = secretsOf(webhook, at)
      const headers = signDelivery({ body, deliveryId, event, at, attempt, secrets })
      return await attemptDelivery({ url: webhook.url, body, headers }, options, signal)
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, deliveryId }, 'cannot attempt a delivery')
      return {
        ...nothing,
        error: 'Assay failed to send the delivery. The server log contains the reason.',
        startedAt: at,
      }
    }
  }
}
