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

test.each(providers)(
  '%s: what was recorded once is replayed byte by byte, without key or network',
  async (provider) => {
    const recordings = join(folder, provider)
    const answers: string[] = []
    {
      await using model = await openModelServer()
      let count = 0
      model.onMessage(/./, () => {
        // The first answer has to be repaired, so that a conversation of two questions is recorded.
        const answer = [`Sure! Your key is ${keyOf(provider)}`, suggesting(aSuggestion()), generating(aTest())][count++]
        return { content: answer ?? '' }
      })
      await using service = await serveWith(provider, model.url, { AI_RECORD: recordings })
      for (const [path, body] of asked) answers.push(await (await service.post(path, body)).text())
      expect(model.getRequests()).toHaveLength(3)
    }
    const files = readdirSync(recordings)
    expect(files.map((file) => file.replace(/-[0-9a-f]{16}\.json$/, '')).toSorted()).toEqual([
      'generate-tests.v1',
      'suggest-tests.v1',
      'suggest-tests.v1',
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
  },
)

test.each(providers)('%s: a request that nobody recorded is a clear error', async (provider) => {
  await using service = await serve({ AI_PROVIDER: provider, AI_REPLAY: join(folder, 'empty') })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({
    code: 'ANALYSIS_FAILED',
    message: expect.stringMatching(
      new RegExp(
        `^There is no recording suggest-tests\\.v1-[0-9a-f]{16}\\.json of this request in AI_REPLAY\\. Record it with AI_RECORD, ${provider}`,
      ),
    ),
  })
})

test('a recording that somebody damaged is named', async () => {
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

test('a folder that cannot be written is said, and the model is not asked again for it', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  await using model = await openModelServer()
  model.onMessage(/./, { content: suggesting(aSuggestion()) })
  await using service = await serveWith('provider_a', model.url, { AI_RECORD: join(file, 'inside') })
  const response = await service.post('/suggest-tests', { analysis: anAnalysis() })
  expect(await response.text()).toContain('AI_RECORD cannot be written')
  expect(model.getRequests()).toHaveLength(1)
})
