import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { EventType } from '../events/schema.ts'
import { secretPrefix } from './secret.ts'

export interface Signing {
  body: string
  deliveryId: string
  event: EventType
  /** The time of this attempt. */
  at: Date
  /** Starts at 1. */
  attempt: number
  /** Decrypted. `previous` is set only during the overlap. */
  secrets: { current: string; previous: string | null }
}

/**
 * Returns the headers of a delivery. `X-Svc-Signature` signs the body alone, with the secret as text. `webhook-signature`
 * follows Standard Webhooks: it signs id, time and body, with the decoded bytes after the prefix of the secret.
 */
export function signDelivery({ body, deliveryId, event, at, attempt, secrets }: Signing): Record<string, string> {
  const { current, previous } = secrets
  const timestamp = Math.floor(at.getTime() / 1_000)
  const signed = `${deliveryId}.${timestamp}.${body}`
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhook/1.0',
    'X-Svc-Signature': bodySignature(current, body),
    ...(previous === null ? {} : { 'X-Svc-Signature-Previous': bodySignature(previous, body) }),
    'X-Svc-Event': event,
    'X-Svc-Delivery': deliveryId,
    'X-Svc-Timestamp': at.toISOString(),
    ...(attempt > 1 ? { 'X-Svc-Delivery-Attempt': String(attempt) } : {}),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': [current, ...(previous === null ? [] : [previous])]
      .map((secret) => standardSignature(secret, signed))
      .join(' '),
  }
}

const bodySignature = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', keysOf(secret).asWritten).update(body).digest('hex')}`

const standardSignature = (secret: string, signed: string) =>
  `v1,${createHmac('sha256', keysOf(secret).decoded).update(signed).digest('base64')}`

const maxKeys = 10_000
// Key objects are cached: importing a plain buffer into OpenSSL takes longer than the HMAC itself.
const keys = new Map<string, { asWritten: KeyObject; decoded: KeyObject }>()

function keysOf(secret: string): { asWritten: KeyObject; decoded: KeyObject } {
  const known = keys.get(secret)
  if (known) return known
  const made = {
    asWritten: createSecretKey(Buffer.from(secret)),
    decoded: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')),
  }
  if (keys.size >= maxKeys) keys.clear()
  keys.set(secret, made)
  return made
}
