import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newWebhookSecret } from '../../core/webhooks/secret.ts'
import { signDelivery, type Signing } from '../../core/webhooks/signature.ts'

const secret = newWebhookSecret()

async function start(command: string, args: string[], given = secret) {
  const child: ChildProcess = spawn(command, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, WEBHOOK_SECRET: given, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const ended = once(child, 'exit')
  if (!child.stdout || !child.stderr) throw new Error('its output is piped')
  const complaints: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line))
  const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await Promise.race([once(output, 'line'), ended])
  const port = lines.shift()?.split(' ').at(-1)
  return {
    ended,
    url: `http://127.0.0.1:${port}/`,
    /** What it took, oldest first. */
    lines,
    /** What it wrote about its own mistakes. */
    complaints,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

const body = JSON.stringify({ id: 'a-delivery', event: 'webhook.test', data: { message: 'Grüße, 世界 🌍' } })
const sign = (change: Partial<Signing> = {}) =>
  signDelivery({
    body,
    deliveryId: 'a-delivery',
    event: 'webhook.test',
    at: new Date(),
    attempt: 1,
    secrets: { current: secret, previous: null },
    ...change,
  })
const minutesFromNow = (minutes: number) => sign({ at: new Date(Date.now() + minutes * 60_000) })

/** Connects, says that it will send more than it does, and leaves. */
async function breakOff(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"id"')
  await sleep(50)
  socket.destroy()
}

test.each([
  ['Node', process.execPath, ['receiver.mjs']],
  ['Python', 'python3', ['receiver.py']],
])('the receiver in %s accepts each genuine delivery once and rejects all others', async (_, command, args) => {
  await using receiver = await start(command, args)
  const send = async (headers: Record<string, string>, sent = body) =>
    (await fetch(receiver.url, { method: 'POST', headers, body: sent })).status
  const other = newWebhookSecret()
  const good = sign()
  const { 'webhook-signature': signature = '', ...unsigned } = good

  expect(await send(good)).toBe(204)
  expect(await send(sign({ attempt: 2 }))).toBe(204)
  expect(await send(sign({ secrets: { current: other, previous: secret } }))).toBe(204)
  expect(await send(sign({ secrets: { current: secret, previous: other } }))).toBe(204)
  expect(await send(minutesFromNow(-4))).toBe(204)
  await expect.poll(() => receiver.lines).toEqual(['webhook.test a-delivery'])

  const refused: [Record<string, string>, string?][] = [
    [good, body.replace('世', '市')],
    [good, `${body} `],
    [good, ''],
    [{ ...good, 'webhook-id': 'another-delivery' }],
    [{ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }],
    [{ ...good, 'webhook-timestamp': 'now' }],
    [{ ...good, 'webhook-timestamp': '' }],
    [{ ...good, 'webhook-id': '' }],
    [unsigned],
    [{ ...good, 'webhook-signature': signature.replace('v1,', 'v1a,') }],
    [{ ...good, 'webhook-signature': signature.slice(3) }],
    [{ ...good, 'webhook-signature': 'v1,' }],
    [{ ...good, 'webhook-signature': 'v1,é' }],
    [{}],
    [sign({ secrets: { current: other, previous: null } })],
    [minutesFromNow(-6)],
    [minutesFromNow(6)],
  ]
  await breakOff(receiver.url)
  for (const [headers, sent] of refused)
    expect([headers, sent, await send(headers, sent)]).toEqual([headers, sent, 401])
  expect(await send(good, 'x'.repeat(2 ** 21)).catch(() => 413)).toBe(413)
  expect(
    await send(sign({ body: body.replace('a-delivery', 'b-delivery') }), body.replace('a-delivery', 'b-delivery')),
  ).toBe(204)
  await expect.poll(() => receiver.lines).toEqual(['webhook.test a-delivery', 'webhook.test b-delivery'])
})

/** Returns the status of the response to a request with these headers and no body. */
async function ask(url: string, headers: string[]): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(['POST / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n'))
  const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })
  socket.destroy()
  return Number(String(answer).split(' ')[1])
}

test.each([
  ['Node', process.execPath, ['receiver.mjs'], 401],
  ['Python', 'python3', ['receiver.py'], 411],
])(
  'the receiver in %s rejects invalid and excessive lengths without reading the body',
  async (_, command, args, none) => {
    await using receiver = await start(command, args)
    for (const wrong of ['abc', '-1', '+1', '1.5', '٣', '9'.repeat(5_000)]) {
      expect([wrong, await ask(receiver.url, [`Content-Length: ${wrong}`])]).toEqual([wrong, 400])
    }
    expect(await ask(receiver.url, [])).toBe(none)
    expect(await ask(receiver.url, ['Content-Length: 300001'])).toBe(413)
    const headers = sign({ body: 'x'.repeat(262_144) })
    const { status } = await fetch(receiver.url, { method: 'POST', headers, body: 'x'.repeat(262_144) })
    expect(status).toBe(400)
    expect(receiver.complaints).toEqual([])
  },
)

test.each([
  ['Node', process.execPath, ['receiver.mjs']],
  ['Python', 'python3', ['receiver.py']],
])('the receiver in %s refuses to start without a valid secret', async (_, command, args) => {
  const cut = [secret.slice('whsec_'.length), secret.slice(0, 20), secret.slice(0, -1)]
  for (const wrong of ['', 'secret', 'whsec_', 'whsec_é', `${secret.slice(0, -2)}!=`, ...cut]) {
    await using receiver = await start(command, args, wrong)
    const [code] = await receiver.ended
    await expect
      .poll(() => receiver.complaints)
      .toEqual(['Set WEBHOOK_SECRET to the secret that webhooks.create returned.'])
    expect(code).toBe(1)
  }
})
