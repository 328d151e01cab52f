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

async function start(command: string, args: string[]) {
  const child: ChildProcess = spawn(command, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const ended = once(child, 'exit')
  if (!child.stdout) throw new Error('its output is piped')
  const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await Promise.race([once(output, 'line'), ended])
  const port = lines.shift()?.split(' ').at(-1)
  return {
    url: `http://127.0.0.1:${port}/`,
    /** What it took, oldest first. */
    lines,
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
])('the receiver in %s takes what is genuine, once, and nothing else', async (_, command, args) => {
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
  await expect.poll(() => receiver.lines, { timeout: 10_000 }).toEqual(['webhook.test a-delivery'])

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
  await expect
    .poll(() => receiver.lines, { timeout: 10_000 })
    .toEqual(['webhook.test a-delivery', 'webhook.test b-delivery'])
})
