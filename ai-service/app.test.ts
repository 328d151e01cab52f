import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMockProvider } from './providers/mock.ts'
import type { Provider } from './providers/provider.ts'
import { SuggestTestsResponse } from './schema.ts'
import { aCandidate, anAnalysis } from './testing/analysis.ts'
import { serve } from './testing/serve.ts'

/** Suggests only when the test says so, so that the test controls how long a request takes. */
function aSlowProvider() {
  const mock = createMockProvider()
  const asked = Promise.withResolvers<AbortSignal>()
  const answer = Promise.withResolvers<void>()
  const provider: Provider = {
    ...mock,
    async suggestTests(analysis, options) {
      asked.resolve(options.signal)
      await answer.promise
      return await mock.suggestTests(analysis, { ...options, signal: new AbortController().signal })
    },
  }
  return { provider, asked: asked.promise, answer: () => answer.resolve() }
}

test('parallel requests get their own answers', async () => {
  await using service = await serve()
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const testCandidates = [aCandidate({ path: `src/part${index}.ts`, symbol: `parse${index}` })]
      const commitSha = index.toString(16).padStart(40, '0')
      const response = await service.post('/suggest-tests', { analysis: anAnalysis({ commitSha, testCandidates }) })
      return SuggestTestsResponse.parse(await response.json())
    }),
  )
  for (const [index, answer] of answers.entries()) {
    expect(answer.commit_sha).toBe(index.toString(16).padStart(40, '0'))
    expect(answer.suggestions.map((suggestion) => suggestion.target?.symbol)).toEqual([`parse${index}`])
  }
})

test.each([
  ['headers', { headers: 150 }, 'GET /health HTTP/1.1\r\nHost: localhost\r\n'],
  [
    'a body',
    { headers: 150, request: 300 },
    'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
  ],
])(
  'a client that dawdles over %s is shut out, and others are served meanwhile',
  async (_over, timeouts, request) => {
    await using service = await serve({}, { timeouts: { checkedEvery: 50, ...timeouts } })
    const slow = connect(service.port, '127.0.0.1')
    slow.write(request)
    const answer = closed(slow)
    expect((await service.get('/health')).status).toBe(200)
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /)
    expect((await service.get('/health')).status).toBe(200)
  },
  5_000,
)

async function closed(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  socket.on('error', () => socket.destroy())
  await once(socket, 'close')
  return received
}

test('a stop waits for running requests, accepts no new ones, and closes keep-alive connections', async () => {
  const { provider, asked, answer } = aSlowProvider()
  const service = await serve({}, { provider })
  const pending = service.post('/suggest-tests', { analysis: anAnalysis() })
  await asked

  const stopped = service.close()
  await expect(service.get('/health')).rejects.toThrow('fetch failed')
  expect(await Promise.race([stopped, wait(50, 'still open')])).toBe('still open')

  answer()
  const response = await pending
  expect(response.status).toBe(200)
  expect(SuggestTestsResponse.parse(await response.json()).suggestion_count).toBe(2)
  const startedAt = performance.now()
  await stopped
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('a stop aborts requests that take too long', async () => {
  const { provider, asked } = aSlowProvider()
  const service = await serve({}, { provider, timeouts: { stop: 50 } })
  const pending = service.post('/suggest-tests', { analysis: anAnalysis() }).catch((error: unknown) => error)
  const signal = await asked
  await service.close()
  expect(await pending).toBeInstanceOf(TypeError)
  await expect.poll(() => signal.aborted).toBe(true)
})

test('stopping works twice, and before the start', async () => {
  const service = await serve()
  await Promise.all([service.close(), service.close()])
  await service.close()
})

test('the provider is notified when the client disconnects', async () => {
  const { provider, asked, answer } = aSlowProvider()
  await using service = await serve({}, { provider })
  const caller = new AbortController()
  const request = fetch(`${service.origin}/suggest-tests`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ analysis: anAnalysis() }),
    signal: caller.signal,
  }).catch((error: unknown) => error)
  const signal = await asked
  expect(signal.aborted).toBe(false)
  caller.abort()
  await request
  await expect.poll(() => signal.aborted).toBe(true)
  answer()
  expect((await service.get('/health')).status).toBe(200)
})
