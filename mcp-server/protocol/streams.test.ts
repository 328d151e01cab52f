import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createStreams, maxStreams } from './streams.ts'

class Stream extends EventEmitter {
  destroyed = false
  destroy() {
    this.destroyed = true
    this.emit('close')
    return this as unknown as ServerResponse
  }
}

const refused = new Response(null, { status: 401 })

function scene() {
  const revoked = new Set<string>()
  const streams = createStreams({
    authenticate: async (header = '') =>
      revoked.has(header) ? refused : { token: header, clientId: header, scopes: [], extra: {} },
  })
  const open = (caller: string) => {
    const stream = new Stream()
    return { stream, admitted: streams.admit(caller, caller, stream as never) }
  }
  return { revoked, streams, open }
}

test('closes the streams of a revoked token and no others', async () => {
  const { revoked, streams, open } = scene()
  using _ = streams
  const [mine, mineToo, others] = [open('mine').stream, open('mine').stream, open('others').stream]
  await streams.check()
  expect([mine, mineToo, others].map(({ destroyed }) => destroyed)).toEqual([false, false, false])
  revoked.add('mine')
  await streams.check()
  expect([mine, mineToo, others].map(({ destroyed }) => destroyed)).toEqual([true, true, false])
})

test('a caller cannot exceed the limit of streams until it closes one', () => {
  const { streams, open } = scene()
  using _ = streams
  const first = open('mine').stream
  for (let more = 1; more < maxStreams; more++) expect(open('mine').admitted).toBe(true)
  expect(open('mine').admitted).toBe(false)
  expect(open('others').admitted).toBe(true)
  first.destroy()
  expect(open('mine').admitted).toBe(true)
})
