import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SuggestTestsResponse } from '../schema.ts'
import { aCandidate, anAnalysis } from '../testing/analysis.ts'
import { aSuggestion, suggesting } from '../testing/answers.ts'
import {
  type RealProvider,
  type ServedWithModel,
  keyOf,
  openModelServer,
  openRawServer,
  providers,
  sendJson,
  serveWith,
  wireAnswer,
} from '../testing/model-server.ts'

const ask = (service: ServedWithModel, body: object = {}) =>
  service.post('/suggest-tests', { analysis: anAnalysis(), ...body })

async function failure(response: Response): Promise<string> {
  expect(response.status).toBe(500)
  const body = (await response.json()) as { code: string; message: string }
  expect(body.code).toBe('ANALYSIS_FAILED')
  return body.message
}

async function refused(provider: RealProvider, contents: string[]) {
  await using model = await openModelServer()
  const [first = '', second = first] = contents
  let asked = 0
  const usage = { prompt_tokens: 1_000, completion_tokens: 200, input_tokens: 1_000, output_tokens: 200 }
  model.onMessage(/./, () => ({ content: asked++ === 0 ? first : second, usage }))
  await using service = await serveWith(provider, model.url)
  const response = await ask(service)
  return { response, requests: model.getRequests(), log: service.log() }
}

for (const provider of providers) {
  test.each([
    ['prose', 'I am happy to help! Which file should I look at first?', 'was not JSON'],
    ['cut JSON', suggesting(aSuggestion()).slice(0, -20), 'was not JSON'],
    ['nothing', ' ', 'was empty'],
    ['an invalid enum', suggesting(aSuggestion({ test_type: 'smoke' })), 'suggestions.0.test_type'],
    ['another object', '{"tests": []}', 'summary: '],
  ])(`${provider}: %s causes one more request with the problem`, async (_what, content, problem) => {
    const { response, requests } = await refused(provider, [content, suggesting(aSuggestion())])
    expect(response.status).toBe(200)
    const answer = SuggestTestsResponse.parse(await response.json())
    expect(answer.suggestions).toHaveLength(1)
    expect(requests).toHaveLength(2)
    expect(JSON.stringify(requests[1]?.body)).toContain(problem)
  })

  test.each([
    ['prose', 'I cannot do that.', 'was not JSON'],
    ['cut JSON', suggesting(aSuggestion()).slice(0, -20), 'was not JSON'],
    ['wrong enums alone', suggesting(aSuggestion({ test_type: 'smoke' })), 'test_type'],
  ])(`${provider}: %s twice in a row gives a clear error and no third request`, async (_what, content, problem) => {
    const { response, requests } = await refused(provider, [content])
    const message = await failure(response)
    expect(message).toContain(`${provider} gave two unusable answers in a row.`)
    expect(message).toContain(problem)
    expect(requests).toHaveLength(2)
    // Both calls cost money, although neither gave an answer.
    expect(response.headers.get('x-ai-output-tokens')).toBe('400')
  })

  test(`${provider}: keeps the valid parts of an answer that is invalid twice`, async () => {
    const { response } = await refused(provider, [suggesting(aSuggestion(), aSuggestion({ test_type: 'smoke' }))])
    expect(SuggestTestsResponse.parse(await response.json()).suggestions).toHaveLength(1)
  })

  test(`${provider}: accepts JSON in a Markdown block without a second request`, async () => {
    const { response, requests } = await refused(provider, [
      `Here you are:\n\`\`\`json\n${suggesting(aSuggestion())}\n\`\`\``,
    ])
    expect(response.status).toBe(200)
    expect(requests).toHaveLength(1)
  })

  test(`${provider}: cuts 1,000 suggestions to the requested number`, async () => {
    const candidates = Array.from({ length: 1_000 }, (_, index) => aCandidate({ symbol: `parse${index}` }))
    await using model = await openModelServer()
    model.onMessage(/./, { content: suggesting(...candidates.map(({ symbol }) => aSuggestion({ symbol }))) })
    await using service = await serveWith(provider, model.url)
    const response = await ask(service, { analysis: anAnalysis({ testCandidates: candidates }), max_suggestions: 7 })
    const answer = SuggestTestsResponse.parse(await response.json())
    expect(answer.suggestions.map(({ target }) => target?.symbol)).toEqual(
      candidates.slice(0, 7).map(({ symbol }) => symbol),
    )
    expect(answer.suggestion_count).toBe(7)
  })

  test(`${provider}: does not read 10 MB to the end`, async () => {
    await using model = await openModelServer()
    model.onMessage(/./, { content: 'x'.repeat(10_000_000) })
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toBe(
      `${provider} sent an answer larger than 4 MiB, which is the maximum.`,
    )
    expect(model.getRequests()).toHaveLength(1)
  })

  test(`${provider}: reports 401 without the key, and does not retry`, async () => {
    await using model = await openModelServer()
    const message = `Incorrect API key provided: ${keyOf(provider)} and sk-proj-abcdefghijklmnop1234.`
    model.on({ userMessage: /./ }, { error: { message, type: 'authentication_error' }, status: 401 })
    await using service = await serveWith(provider, model.url)
    const response = await ask(service)
    const text = await response.text()
    expect(text).toContain(`${provider} refused the key (401). Check ${provider.toUpperCase()}_API_KEY.`)
    for (const secret of [keyOf(provider), 'sk-proj-']) {
      expect(text).not.toContain(secret)
      expect(service.log()).not.toContain(secret)
    }
    expect(service.log()).toContain('Incorrect API key provided: [redacted]')
    expect(model.getRequests()).toHaveLength(1)
  })

  test.each([400, 401, 403, 404, 413, 422, 429, 500])(
    `${provider}: of what comes with %i nothing is told to the caller, in whatever form it holds the key`,
    async (status) => {
      const key = 'a"key\\with-signs'
      const forms = [
        key,
        JSON.stringify(key).slice(1, -1),
        Buffer.from(key).toString('base64'),
        encodeURIComponent(key),
      ]
      await using model = await openRawServer((response) =>
        sendJson(response, status, { echoed: `Bearer ${forms.join(' ')}` }, { 'Retry-After': '3600' }),
      )
      await using service = await serveWith(provider, model.url, { [`${provider.toUpperCase()}_API_KEY`]: key })
      const message = await failure(await ask(service))
      expect(message).toMatch(new RegExp(`^${provider} `))
      for (const hidden of ['echoed', 'Bearer', ...forms]) expect(message).not.toContain(hidden)
    },
  )

  test(`${provider}: waits after 429 as long as requested`, async () => {
    let asked = 0
    const times: number[] = []
    await using model = await openRawServer((response) => {
      times.push(performance.now())
      if (asked++ === 0) sendJson(response, 429, { error: { message: 'slow down' } }, { 'Retry-After': '1' })
      else sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion())))
    })
    await using service = await serveWith(provider, model.url)
    expect((await ask(service)).status).toBe(200)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
  })

  test(`${provider}: does not start a wait longer than the remaining time`, async () => {
    await using model = await openModelServer()
    model.on({ userMessage: /./ }, { error: { message: 'quota' }, status: 429, retryAfter: 3_600 })
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toBe(`${provider} is rate limiting requests (429). Retry after 3600 s.`)
    expect(model.getRequests()).toHaveLength(1)
  })

  test.each([500, 502, 503, 529])(`${provider}: retries %i within a limit of attempts`, async (status) => {
    let asked = 0
    await using model = await openRawServer((response) => {
      if (asked++ < 2) sendJson(response, status, { error: { message: 'overloaded' } })
      else sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion())))
    })
    await using service = await serveWith(provider, model.url)
    expect((await ask(service)).status).toBe(200)
    expect(model.requests).toHaveLength(3)
  })

  test(`${provider}: gives up after five attempts with 500`, async () => {
    await using model = await openModelServer()
    model.on({ userMessage: /./ }, { error: { message: 'broken' }, status: 500 })
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toBe(`${provider} is unavailable (500). Try again later.`)
    expect(model.getRequests()).toHaveLength(5)
  })

  test(`${provider}: retries a reset connection, before and during a response`, async () => {
    let asked = 0
    await using model = await openRawServer((response) => {
      asked++
      if (asked === 1) response.socket?.resetAndDestroy()
      else if (asked === 2) {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '5000' })
        response.write('{"choices": [')
        setImmediate(() => response.socket?.resetAndDestroy())
      } else sendJson(response, 200, wireAnswer(provider, suggesting(aSuggestion())))
    })
    await using service = await serveWith(provider, model.url)
    expect((await ask(service)).status).toBe(200)
    expect(asked).toBe(3)
  })

  test(`${provider}: names the setting to check if no server answers`, async () => {
    await using service = await serveWith(provider, 'http://127.0.0.1:9')
    expect(await failure(await ask(service))).toBe(
      `${provider} is unreachable or closed the connection. Check ${provider.toUpperCase()}_BASE_URL and the network.`,
    )
  })

  test(`${provider}: gives up on a server that hangs before core does`, async () => {
    await using model = await openRawServer(() => {})
    await using service = await serveWith(provider, model.url, { AI_TIMEOUT_SECONDS: '0.5' })
    const startedAt = performance.now()
    expect(await failure(await ask(service))).toBe(
      `${provider} did not answer within 0.45 s. Increase AI_TIMEOUT_SECONDS, or request fewer results.`,
    )
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(440)
  })

  test(`${provider}: a client that disconnects aborts the request to the model`, async () => {
    const closed = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    await using model = await openRawServer((response) => {
      response.once('close', () => closed.resolve())
      reached.resolve()
    })
    await using service = await serveWith(provider, model.url)
    const caller = new AbortController()
    const answer = fetch(`${service.origin}/suggest-tests`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ analysis: anAnalysis() }),
      signal: caller.signal,
    })
    await reached.promise
    caller.abort()
    await expect(answer).rejects.toThrow('aborted')
    await closed.promise
    await wait(20)
    expect(model.requests).toHaveLength(1)
    expect(service.log()).not.toContain('request failed')
  })

  test(`${provider}: a client that disconnects during a wait aborts the wait`, async () => {
    const reached = Promise.withResolvers<void>()
    await using model = await openRawServer((response) => {
      response.once('finish', () => reached.resolve())
      sendJson(response, 429, { error: { message: 'slow down' } }, { 'Retry-After': '30' })
    })
    await using service = await serveWith(provider, model.url)
    const caller = new AbortController()
    const answer = fetch(`${service.origin}/suggest-tests`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ analysis: anAnalysis() }),
      signal: caller.signal,
    })
    await reached.promise
    await wait(50)
    caller.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => service.log()).toContain('request aborted')
    expect(model.requests).toHaveLength(1)
  })

  test(`${provider}: an answer in an unknown format names the address setting`, async () => {
    await using model = await openRawServer((response) => sendJson(response, 200, { hello: 'world' }))
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toContain('sent an answer in an unknown format')
  })

  test(`${provider}: does not follow a redirect, so that the key stays with its host`, async () => {
    await using elsewhere = await openRawServer((response) => sendJson(response, 200, {}))
    await using model = await openRawServer((response) => {
      response.writeHead(307, { Location: `${elsewhere.url}/v1/messages` }).end()
    })
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toContain('is unreachable')
    expect(elsewhere.requests).toEqual([])
  })

  test(`${provider}: a model that declines gives a clear error`, async () => {
    await using model = await openRawServer((response) =>
      sendJson(
        response,
        200,
        provider === 'provider_a'
          ? { choices: [{ finish_reason: 'stop', message: { content: null, refusal: 'No.' } }] }
          : { content: [], stop_reason: 'refusal', usage: { input_tokens: 5, output_tokens: 1 } },
      ),
    )
    await using service = await serveWith(provider, model.url)
    expect(await failure(await ask(service))).toContain(`${provider} refused to answer`)
    expect(model.requests).toHaveLength(1)
  })
}
