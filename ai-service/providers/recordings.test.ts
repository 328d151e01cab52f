import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anAnalysis } from '../testing/analysis.ts'
import { aSuggestion, aTest, generating, suggesting } from '../testing/answers.ts'
import { keyOf, openModelServer, providers, serveWith } from '../testing/model-server.ts'
import { serve } from '../testing/serve.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-recordings-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const asked = [
  ['/suggest-tests', { analysis: anAnalysis() }],
  ['/generate-tests', { code_analysis: anAnalysis(), target: { path: 'src/config.ts', symbol: 'parseConfig' } }],
] as const

test.each(providers)('%s: replays a recording byte for byte, without a key or network', async (provider) => {
  const recordings = join(folder, provider)
  const answers: string[] = []
  {
    await using model = await openModelServer()
    let count = 0
    model.onMessage(/./, () => {
      // The first answer is invalid, so that a conversation of two requests is recorded.
      const answer = [`Sure! Your key is ${keyOf(provider)}`, suggesting(aSuggestion()), generating(aTest())][count++]
      return { content: answer ?? '' }
    })
    await using service = await serveWith(provider, model.url, { AI_RECORD: recordings })
    for (const [path, body] of asked) answers.push(await (await service.post(path, body)).text())
    expect(model.getRequests()).toHaveLength(3)
  }
  const files = readdirSync(recordings)
  expect(files.map((file) => file.replace(/-[0-9a-f]{16}\.json$/, '')).toSorted()).toEqual([
    'generate-tests.v3',
    'suggest-tests.v2',
    'suggest-tests.v2',
  ])
  for (const file of files) {
    const text = readFileSync(join(recordings, file), 'utf8')
    expect(text).not.toContain(keyOf(provider))
    expect(JSON.parse(text)).toMatchObject({ request: { provider }, answer: { ending: 'complete' } })
  }

  await using replayed = await serve({ AI_PROVIDER: provider, AI_REPLAY: recordings })
  for (let round = 0; round < 2; round++) {
    for (const [index, [path, body]] of asked.entries()) {
      expect(await (await replayed.post(path, body)).text()).toBe(answers[index])
    }
  }
})

test.each(providers)('%s: names the missing file for a request without a recording', async (provider) => {
  await using service = await serve({ AI_PROVIDER: provider, AI_REPLAY: join(folder, 'empty') })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({
    code: 'ANALYSIS_FAILED',
    message: expect.stringMatching(
      new RegExp(
        `^AI_REPLAY has no recording suggest-tests\\.v2-[0-9a-f]{16}\\.json of this request\\. Record it with AI_RECORD, ${provider}`,
      ),
    ),
  })
})

test('names a damaged recording', async () => {
  const damaged = join(folder, 'damaged')
  {
    await using model = await openModelServer()
    model.onMessage(/./, { content: suggesting(aSuggestion()) })
    await using service = await serveWith('provider_a', model.url, { AI_RECORD: damaged })
    await service.post('/suggest-tests', { analysis: anAnalysis() })
  }
  const [file = ''] = readdirSync(damaged)
  writeFileSync(join(damaged, file), '{"answer": {}}')
  await using service = await serve({ AI_PROVIDER: 'provider_a', AI_REPLAY: damaged })
  expect(await (await service.post('/suggest-tests', { analysis: anAnalysis() })).text()).toContain('is damaged')
})

/** A key at the end of a string: the redaction must not remove the following text. */
const openKey = '-----BEGIN PRIVATE KEY-----\nMIIEvQ'

test.each([
  ['is not an answer', `Your key is ${openKey}`],
  ['is JSON in the wrong format', JSON.stringify({ summary: openKey, suggestions: 'none' })],
])('a key in a first answer that %s damages neither the recording nor the next request', async (_what, first) => {
  const recordings = mkdtempSync(join(folder, 'repaired-'))
  await using model = await openModelServer()
  let count = 0
  model.onMessage(/./, () => ({ content: count++ === 0 ? first : suggesting(aSuggestion()) }))
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: recordings })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  const answer = await response.text()
  expect([response.status, count]).toEqual([200, 2])

  await using replayed = await serve({ AI_PROVIDER: 'provider_a', AI_REPLAY: recordings })
  expect(await (await replayed.post('/suggest-tests', { analysis: anAnalysis() })).text()).toBe(answer)
  for (const file of readdirSync(recordings)) {
    expect(readFileSync(join(recordings, file), 'utf8')).not.toContain('MIIEvQ')
  }
})

test('text after a key in a string is recorded', async () => {
  const recordings = join(folder, 'leaves')
  const content = suggesting(aSuggestion({ description: openKey, rationale: 'It branches often.' }), aSuggestion())
  await using model = await openModelServer()
  model.onMessage(/./, { content })
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: recordings })
  const answer = await (await service.post('/suggest-tests', { analysis: anAnalysis() })).text()
  expect(answer).toContain('It branches often.')

  const [file = ''] = readdirSync(recordings)
  const recording = JSON.parse(readFileSync(join(recordings, file), 'utf8')) as { answer: { text: string } }
  expect(JSON.parse(recording.answer.text)).toMatchObject({
    suggestions: [{ description: '[redacted]', rationale: 'It branches often.' }, { symbol: 'parseConfig' }],
  })
  await using replayed = await serve({ AI_PROVIDER: 'provider_a', AI_REPLAY: recordings })
  expect(await (await replayed.post('/suggest-tests', { analysis: anAnalysis() })).text()).toBe(answer)
})

test('a key with JSON escapes is not recorded', async () => {
  const recordings = join(folder, 'escaped')
  const key = 'a"key\\with-signs'
  await using model = await openModelServer()
  model.onMessage(/./, { content: suggesting(aSuggestion({ description: `It is ${key}.` })) })
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: recordings, PROVIDER_A_API_KEY: key })
  await service.post('/suggest-tests', { analysis: anAnalysis() })
  const [file = ''] = readdirSync(recordings)
  const recording = JSON.parse(readFileSync(join(recordings, file), 'utf8')) as { answer: { text: string } }
  expect(JSON.parse(recording.answer.text)).toMatchObject({ suggestions: [{ description: 'It is [redacted].' }] })
})

test('a deeply nested answer is recorded', async () => {
  const recordings = join(folder, 'deep')
  let count = 0
  await using model = await openModelServer()
  model.onMessage(/./, () => ({
    content: count++ === 0 ? `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` : suggesting(aSuggestion()),
  }))
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: recordings })
  expect((await service.post('/suggest-tests', { analysis: anAnalysis() })).status).toBe(200)
  expect(readdirSync(recordings)).toHaveLength(2)
})

test('an unwritable folder does not lose the answer: it is logged, and the model is not asked again', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  await using model = await openModelServer()
  model.onMessage(/./, { content: suggesting(aSuggestion()) })
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: join(file, 'inside') })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ suggestion_count: 1 })
  expect(service.log()).toContain('cannot write to AI_RECORD')
  expect(model.getRequests()).toHaveLength(1)
})
