import { expect, test } from 'vitest'
import { z } from 'zod'
import { AiGenerateResponse } from '../../core/ai/schema.ts'
import { SuggestTestsResponse } from '../schema.ts'
import { aBrief, aCandidate, aCase, anAnalysis } from '../testing/analysis.ts'
import { aSuggestion, aTest, generating, suggesting } from '../testing/answers.ts'
import { openModelServer, providers, serveWith } from '../testing/model-server.ts'

const Sent = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) })

const cases = [
  aCase({ id: 'empty', line: 12, condition: 'text.length === 0', outcome: 'early_return' }),
  aCase({ id: 'unknown', line: 30, condition: '!(key in known)', outcome: 'throws', result: 'Error: unknown key' }),
  aCase({ id: 'tested', line: 40, condition: 'isStrict', covered: true }),
]
const analysis = anAnalysis({
  testCandidates: [
    aCandidate({
      cases,
      moreCases: 2,
      brief: aBrief({ construct: 'new Config(path)', nearestTest: { path: 'test/a.test.ts', helpers: ['withFile'] } }),
      through: { path: 'src/index.ts', symbol: 'load', startLine: 1, endLine: 4 },
    }),
    aCandidate({ path: 'src/routes/login.ts', symbol: 'LoginHandler.handle', cases: [aCase({ id: 'other' })] }),
    aCandidate({ path: 'src/plain.ts', symbol: 'plain' }),
  ],
})

async function suggestWith(provider: (typeof providers)[number], ...answers: string[]) {
  await using model = await openModelServer()
  let count = 0
  model.onMessage(/./, () => {
    const content = answers[count++]
    return content === undefined ? { error: { message: 'overloaded', type: 'server_error' }, status: 400 } : { content }
  })
  await using service = await serveWith(provider, model.url)
  const response = await service.post('/suggest-tests', { analysis, max_suggestions: 2 })
  expect(response.status).toBe(200)
  const requests = model.getRequests().map(({ body }) => Sent.parse(body).messages)
  return { answer: SuggestTestsResponse.strict().parse(await response.json()), requests }
}

for (const provider of providers) {
  test(`${provider}: the model reads the open cases with their ids, and the brief`, async () => {
    const { answer, requests } = await suggestWith(
      provider,
      suggesting(
        aSuggestion({ case_ids: ['unknown', 'empty'] }),
        aSuggestion({ file_path: 'src/plain.ts', symbol: 'plain' }),
      ),
    )
    expect(requests).toHaveLength(1)
    const user = requests[0]?.find(({ role }) => role === 'user')?.content
    expect(user).toContain(`   private: call it through load of src/index.ts
   - case_id empty: returns early where \`text.length === 0\` (line 12)
   - case_id unknown: throws \`Error: unknown key\` where \`!(key in known)\` (line 30)
   - and 2 more cases
   test file: test/config.test.ts (vitest)
   import: import { parseConfig } from '../src/config.js'
   signature: parseConfig(text: string, options?: Options): Config
   construct: new Config(path)
   helpers of the nearest test: withFile
`)
    expect(user).not.toContain('isStrict')
    expect(answer.suggestions.map(({ case_ids }) => case_ids)).toEqual([['empty', 'unknown'], undefined])
  })

  test(`${provider}: asks again if an answer names no case or one of another candidate`, async () => {
    const wrong = suggesting(
      aSuggestion({ case_ids: ['other', 'tested'] }),
      aSuggestion({ file_path: 'src/plain.ts', symbol: 'plain' }),
    )
    const { answer, requests } = await suggestWith(provider, wrong, suggesting(aSuggestion({ case_ids: ['empty'] })))
    expect(requests).toHaveLength(2)
    expect(requests[1]?.at(-1)?.content).toContain(
      'In suggestions.0, `case_ids` must name cases that the material lists',
    )
    expect(answer.suggestions.map(({ case_ids }) => case_ids)).toEqual([['empty']])
    expect(answer.warnings).toEqual([])
    const none = await suggestWith(
      provider,
      suggesting(aSuggestion()),
      suggesting(aSuggestion({ case_ids: ['empty'] })),
    )
    expect([none.requests.length, none.answer.suggestions[0]?.case_ids]).toEqual([2, ['empty']])
  })

  test(`${provider}: drops the ids that the candidate does not have, without asking again`, async () => {
    const wrong = suggesting(aSuggestion({ case_ids: ['other', 'empty', 'x'.repeat(5_000), 'empty'] }))
    const { answer, requests } = await suggestWith(provider, wrong)
    expect(requests).toHaveLength(1)
    expect(answer.suggestions.map(({ case_ids }) => case_ids)).toEqual([['empty']])
    expect(answer.warnings).toEqual(['2 case ids were dropped because their candidate has no such open case.'])
  })

  test(`${provider}: keeps the first answer if the second is worse`, async () => {
    const first = suggesting(aSuggestion({ case_ids: ['other'] }))
    for (const answers of [[first, 'Sorry.'], [first], [first, suggesting()]]) {
      const { answer } = await suggestWith(provider, ...answers)
      expect(answer.suggestions.map(({ case_ids }) => case_ids)).toEqual([undefined])
    }
    const good = aSuggestion({ case_ids: ['unknown'] })
    const login = { file_path: 'src/routes/login.ts', symbol: 'LoginHandler.handle' }
    const fewer = suggesting(aSuggestion(), aSuggestion(login))
    const { answer } = await suggestWith(provider, suggesting(good, aSuggestion(login)), fewer)
    expect(answer.suggestions.map(({ case_ids }) => case_ids)).toEqual([['unknown'], undefined])
  })

  test(`${provider}: a test for a suggestion gets its cases only`, async () => {
    await using model = await openModelServer()
    model.onMessage(/./, { content: generating(aTest()) })
    await using service = await serveWith(provider, model.url)
    const asked = async (suggestion: object) => {
      const target = { path: 'src/config.ts', symbol: 'parseConfig' }
      await service.post('/generate-tests', { code_analysis: analysis, target, suggestion })
      const { messages } = Sent.parse(model.getLastRequest()?.body)
      return messages.find(({ role }) => role === 'user')?.content
    }
    const one = await asked({ description: 'd', case_ids: ['unknown', 'other'] })
    expect(one).toContain('   - case_id unknown: throws')
    expect(one).not.toMatch(/case_id empty|more cases|case_id other/)
    expect(one).toContain("import: import { parseConfig } from '../src/config.js'")
    expect(await asked({ description: 'd' })).toContain('   - case_id empty: returns early')
  })

  test(`${provider}: a test names the open cases of its target that it covers, and no others`, async () => {
    await using model = await openModelServer()
    model.onMessage(/./, { content: generating(aTest({ case_ids: ['unknown', 'tested', 'other'] })) })
    await using service = await serveWith(provider, model.url)
    const target = { path: 'src/config.ts', symbol: 'parseConfig' }
    const response = await service.post('/generate-tests', { code_analysis: analysis, target })
    const { tests, warnings } = AiGenerateResponse.parse(await response.json())
    expect(tests.unit_tests?.map(({ case_ids }) => case_ids)).toEqual([['unknown']])
    expect(warnings).toEqual(['2 case ids were dropped because their target has no such open case.'])
  })
}
