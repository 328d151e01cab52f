import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { newWebhookSecret } from './secret.ts'
import { signDelivery, type Signing } from './signature.ts'

const current = newWebhookSecret()
const previous = newWebhookSecret()
const body = JSON.stringify({ id: 'delivery', event: 'webhook.test', data: { message: 'Grüße, 世界 🌍 \u2028' } })

const sign = (change: Partial<Signing> = {}) =>
  signDelivery({
    body,
    deliveryId: '01JZX0000000000000000000AB',
    event: 'webhook.test',
    at: new Date(),
    attempt: 1,
    secrets: { current, previous: null },
    ...change,
  })

test('the headers name the event, the time and the attempt', () => {
  const at = new Date('2026-11-20T12:00:00.987Z')
  expect(sign({ at })).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Svc-Webhook/1.0',
    'X-Svc-Signature': `sha256=${createHmac('sha256', current).update(body).digest('hex')}`,
    'X-Svc-Event': 'webhook.test',
    'X-Svc-Delivery': '01JZX0000000000000000000AB',
    'X-Svc-Timestamp': '2026-11-20T12:00:00.987Z',
    'webhook-id': '01JZX0000000000000000000AB',
    'webhook-timestamp': '1795176000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
  expect(sign({ at, attempt: 2 })).toHaveProperty('X-Svc-Delivery-Attempt', '2')
})

test('only the time and the signatures over it differ between attempts', () => {
  const first = sign({ at: new Date('2026-11-20T12:00:00Z') })
  const second = sign({ at: new Date('2026-11-20T12:01:00Z'), attempt: 2 })
  const changed = Object.keys(second).filter((name) => first[name] !== second[name])
  expect(changed).toEqual(['X-Svc-Timestamp', 'X-Svc-Delivery-Attempt', 'webhook-timestamp', 'webhook-signature'])
})

test('during the overlap both the current and the previous secret sign', () => {
  const alone = sign({ at: new Date(0) })
  const both = sign({ at: new Date(0), secrets: { current, previous } })
  const ofPrevious = sign({ at: new Date(0), secrets: { current: previous, previous: null } })
  expect(both).toEqual({
    ...alone,
    'X-Svc-Signature-Previous': ofPrevious['X-Svc-Signature'],
    'webhook-signature': `${alone['webhook-signature']} ${ofPrevious['webhook-signature']}`,
  })
})

const withSvixNames = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('webhook-'))
      .map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
  )

describe.each([
  ['standardwebhooks', StandardWebhook, (headers: Record<string, string>) => headers],
  ['svix', SvixWebhook, (headers: Record<string, string>) => headers],
  ['svix, by its own names', SvixWebhook, withSvixNames],
] as const)('the library %s', (_, Webhook, named) => {
  const verify = (secret: string, sent: string, headers: Record<string, string>) =>
    new Webhook(secret).verify(sent, named(headers))

  test('accepts our deliveries, with secrets of every allowed length', () => {
    expect(() => verify(current, body, sign())).not.toThrow()
    for (const length of [24, 25, 26, 64]) {
      const secret = `whsec_${Buffer.alloc(length, length).toString('base64')}`
      expect(() => verify(secret, body, sign({ secrets: { current: secret, previous: null } }))).not.toThrow()
    }
  })

  test('accepts either secret during the overlap', () => {
    const headers = sign({ secrets: { current, previous } })
    expect(() => verify(current, body, headers)).not.toThrow()
    expect(() => verify(previous, body, headers)).not.toThrow()
    expect(() => verify(newWebhookSecret(), body, headers)).toThrow('No matching signature')
  })

  test('rejects a changed body, id, time or secret, and an old time', () => {
    const headers = sign()
    const timestamp = Number(headers['webhook-timestamp'])
    const minutesFromNow = (minutes: number) => sign({ at: new Date(Date.now() + minutes * 60_000) })
    expect(() => verify(current, body.replace('世', '市'), headers)).toThrow('No matching signature')
    expect(() => verify(current, `${body} `, headers)).toThrow('No matching signature')
    expect(() => verify(current, body, { ...headers, 'webhook-id': '01JZX0000000000000000000AC' })).toThrow('No match')
    expect(() => verify(current, body, { ...headers, 'webhook-timestamp': String(timestamp + 1) })).toThrow('No match')
    expect(() => verify(previous, body, headers)).toThrow('No matching signature')
    expect(() => verify(current, body, minutesFromNow(-6))).toThrow('too old')
    expect(() => verify(current, body, minutesFromNow(6))).toThrow('too new')
  })
})
