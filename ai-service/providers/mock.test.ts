import { expect, test } from 'vitest'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { SuggestedTests } from '../schema.ts'
import { aCandidate, aFile, anAnalysis } from '../testing/analysis.ts'
import { createMockProvider } from './mock.ts'

const { signal } = new AbortController()
const mock = createMockProvider()
const suggest = (analysis: AnalysisResult, maxSuggestions = 10) =>
  mock.suggestTests(analysis, { maxSuggestions, signal })
const generate = (codeAnalysis: Record<string, unknown>, options = {}) =>
  mock.generateTests(codeAnalysis, { testType: undefined, framework: undefined, signal, ...options })

test('the same analysis gives the same bytes', async () => {
  const bytes = async () => JSON.stringify([await suggest(anAnalysis()), await generate({ ...anAnalysis() })])
  expect(await bytes()).toBe(await bytes())
})

test('every text starts with the marker', async () => {
  const { summary, suggestions } = await suggest(
    anAnalysis({
      testCandidates: ['a.ts', 'a.py', 'a.go', 'A.java', 'a.rb', 'a.rs', 'A.cs', 'a.kt'].map((path) =>
        aCandidate({ path }),
      ),
    }),
  )
  expect(suggestions).toHaveLength(8)
  const texts = suggestions.flatMap(({ description, rationale }) => [description, rationale])
  for (const text of [summary, ...texts]) expect(text).toMatch(/^\[MOCK RESPONSE\] /)
  for (const { example_code } of suggestions) expect(example_code).toMatch(/^(\/\/|#) \[MOCK RESPONSE\] /)

  const generated = await generate({ ...anAnalysis() })
  for (const item of generated.tests.unit_tests ?? []) {
    expect(item.name).toMatch(/^\[MOCK RESPONSE\] /)
    expect(item.coverage).toMatch(/^\[MOCK RESPONSE\] /)
  }
  const advice = await mock.analyze({ repository_url: 'https://example.org/a' }, { signal })
  for (const text of [advice.summary, ...advice.recommendations]) expect(text).toMatch(/^\[MOCK RESPONSE\] /)
})

test('PHP has the marker after its opening tag', async () => {
  const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate({ path: 'src/a.php' })] }))
  expect(suggestions[0]?.example_code).toMatch(/^<\?php \/\/ \[MOCK RESPONSE\] /)
})

test('suggestions keep the order of the analysis and give its reasons', async () => {
  const testCandidates = [
    aCandidate({ symbol: 'second', score: 1, reasons: ['changed 9 times in 90 days', 'no test imports it'] }),
    aCandidate({ symbol: 'first', score: 9 }),
  ]
  const summary = { ...anAnalysis().summary, candidateCount: 214 }
  const answer = await suggest(anAnalysis({ summary, testCandidates }))
  expect(answer.suggestions.map((suggestion) => suggestion.target?.symbol)).toEqual(['second', 'first'])
  expect(answer.suggestions[0]?.description).toBe('[MOCK RESPONSE] Unit test for second.')
  expect(answer.suggestions[0]?.rationale).toBe(
    '[MOCK RESPONSE] Rank 1 of 214: changed 9 times in 90 days, no test imports it. ' +
      'Add to src/config.test.ts (vitest).',
  )
  expect(answer.summary).toBe(
    `[MOCK RESPONSE] 2 suggestions from 214 ranked candidates in 3 files (TypeScript 3) at commit ${'a'.repeat(12)}: 2 unit.`,
  )
})

test('says that a symbol is not exported, in languages where tests cannot reach it', async () => {
  const code = async (path: string) => {
    const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate({ path, exported: false })] }))
    return suggestions[0]?.example_code
  }
  expect(await code('src/config.ts')).toContain('It is not exported: test it through the exports of its file.')
  expect(await code('src/config.ts')).not.toContain('parseConfig(')
  expect(await code('store/config.go')).not.toContain('not exported')
  expect(await code('store/config.go')).toContain('parseConfig(input)')
})

test('names the closest test, unless its path is unusable', async () => {
  const rationale = async (nearestTests: string[]) => {
    const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate({ nearestTests })] }))
    return suggestions[0]?.rationale
  }
  expect(await rationale(['src/app.test.ts', 'b.test.ts'])).toContain(
    '6 files. Closest test: src/app.test.ts. Add to src/config.test.ts',
  )
  for (const none of [[], ['../x.test.ts'], ['a\u202Eb.test.ts']])
    expect(await rationale(none)).not.toContain('Closest')
})

test('a candidate without reasons is explained with its metrics', async () => {
  const testCandidates = [aCandidate({ reasons: [], churn: null, hasTest: true, fanIn: 1 })]
  const { suggestions } = await suggest(anAnalysis({ testCandidates }))
  expect(suggestions[0]?.rationale).toContain('complexity 14, imported by 1 file, has a test.')
})

test('suggests the same candidate once', async () => {
  const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate(), aCandidate()] }))
  expect(suggestions).toHaveLength(1)
})

test('a second test for a file is added to the first one', async () => {
  const testCandidates = ['one', 'two'].map((symbol) => aCandidate({ path: 'src/new.ts', symbol }))
  const { suggestions } = await suggest(anAnalysis({ files: [], testCandidates }))
  expect(suggestions.map(({ example_code }) => /(Save|Add) this .*/.exec(example_code)?.[0])).toEqual([
    'Save this as src/new.test.ts.',
    'Add this to src/new.test.ts.',
  ])
})

test('guesses from hand-written source files if the analysis has no candidates, and says so', async () => {
  const files = [
    aFile('src/a-small.ts', { size: 10 }),
    aFile('src/large.ts', { size: 9_000 }),
    aFile('src/tested.ts', { size: 99_000 }),
    aFile('src/tested.spec.ts', { size: 99_000 }),
    aFile('src/types.d.ts', { size: 99_000 }),
    aFile('src/schema.generated.ts', { size: 99_000 }),
    aFile('vite.config.ts', { size: 99_000 }),
    aFile('api/openapi.gen.go', { size: 99_000 }),
    aFile('src/locales/fr.ts', { size: 99_000 }),
    aFile('node_modules/x/index.js', { size: 99_000 }),
    aFile('lib/jquery.js', { size: 99_000, tags: ['vendored'] }),
    aFile('src/api.ts', { size: 99_000, tags: ['generated'] }),
    aFile('README.md', { size: 99_000, language: 'Markdown' }),
    aFile('tests/helpers.py', { size: 99_000 }),
    aFile('pkg/store_test.go', { size: 99_000 }),
    aFile('src/types.test-d.ts', { size: 99_000 }),
    aFile('../outside.ts', { size: 99_000 }),
  ]
  const { summary, suggestions } = await suggest(anAnalysis({ files, testCandidates: undefined }))
  expect(suggestions.map((suggestion) => suggestion.file_path)).toEqual([
    'src/large.ts',
    'src/a-small.ts',
    'src/tested.ts',
  ])
  expect(suggestions.every((suggestion) => suggestion.target === undefined)).toBe(true)
  expect(summary).toContain('3 suggestions guessed from 3 source files, because the analysis has no ranking')
  expect(suggestions[0]?.rationale).toContain('A guess, 1 of 3: 9000 bytes, no test has the same name.')
  expect(suggestions[2]?.rationale).toContain('a test has the same name.')
})

test('without a ranking, the order of files does not matter', async () => {
  const files = Array.from({ length: 30 }, (_, index) => aFile(`src/part${index}.ts`, { size: 500 }))
  const forwards = await suggest(anAnalysis({ files, testCandidates: [] }))
  const backwards = await suggest(anAnalysis({ files: files.toReversed(), testCandidates: [] }))
  expect(forwards).toEqual(backwards)
  expect(forwards.suggestions).toHaveLength(10)
})

test('an empty repository gets an answer without suggestions', async () => {
  const summary = { totalFiles: 0, languages: {}, frameworks: [], hasTests: false, testFrameworks: [] }
  expect(await suggest(anAnalysis({ summary, files: [], testCandidates: [] }))).toEqual({
    summary: expect.stringContaining('0 suggestions guessed from 0 source files'),
    suggestions: [],
  })
})

test.each([
  '../../etc/passwd.ts',
  '/etc/cron.ts',
  'C:/windows/a.ts',
  'C:a.ts',
  'src/../../a.ts',
  'src\\..\\a.ts',
  './a.ts',
  'src//a.ts',
  '.git/hooks/a.ts',
  'src/.GIT/config.ts',
  'src/a\nb.ts',
  'src/\u202Egnp.ts',
  'src/\u0000.ts',
  'src/a\u200B.ts',
  'src/',
  '',
])('a path that is not plainly inside the repository is not suggested: %j', async (path) => {
  const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate({ path }), aCandidate()] }))
  expect(suggestions.map((suggestion) => suggestion.file_path)).toEqual(['src/config.ts'])
})

test.each(['', ' \n', '\u202E\u200B', 'x'.repeat(501)])(
  'a symbol that cannot be shown is not suggested: %j',
  async (symbol) => {
    const { suggestions } = await suggest(anAnalysis({ testCandidates: [aCandidate({ symbol }), aCandidate()] }))
    expect(suggestions).toHaveLength(1)
  },
)

test('corrects lines in the wrong order', async () => {
  const testCandidates = [aCandidate({ startLine: 50, endLine: 7 })]
  const answer = SuggestedTests.parse(await suggest(anAnalysis({ testCandidates })))
  expect(answer.suggestions[0]?.target).toMatchObject({ startLine: 50, endLine: 50 })
})

test('generated tests follow the requested type and framework', async () => {
  const { tests, test_count } = await generate({ ...anAnalysis() }, { testType: 'unit', framework: 'jest' })
  expect(test_count).toBe(2)
  expect(tests.integration_tests).toEqual([])
  expect(tests.unit_tests?.map((item) => item.code.includes('vitest'))).toEqual([false, false])
  expect(tests.unit_tests?.[0]).toMatchObject({
    name: '[MOCK RESPONSE] parseConfig',
    file: 'src/config.test.ts',
    coverage: '[MOCK RESPONSE] parseConfig in src/config.ts, lines 10-42, once completed',
  })
})

test('ignores a framework that is unknown or for another language', async () => {
  for (const framework of ['quantum-test', 'pytest']) {
    const { tests } = await generate({ ...anAnalysis() }, { framework })
    expect(tests.unit_tests?.[0]?.code).toContain("from 'vitest'")
  }
})

test('uses the valid parts of anything similar to an analysis', async () => {
  const { tests, test_count, coverage_estimate } = await generate({
    files: ['src/a.py', { path: 'src/b.py', size: 'huge' }, 7, null, { name: 'nothing' }],
    summary: { testFrameworks: ['pytest', 3], languages: ['not', 'a', 'map'] },
    testCandidates: [{ path: 'src/a.py', symbol: 'load', complexity: 'high' }, { symbol: 'lost' }, 'text'],
    packageInfo: null,
  })
  expect(tests.unit_tests?.map((item) => item.file)).toEqual(['tests/test_a.py'])
  expect(tests.unit_tests?.[0]?.code).toContain('pytest.fail(')
  expect({ test_count, coverage_estimate }).toEqual({ test_count: 1, coverage_estimate: 100 })
})

test.each([{}, { files: 'all' }, { testCandidates: {} }, { summary: 4, files: [null] }])(
  'nothing to go by gives no tests: %j',
  async (codeAnalysis) => {
    expect(await generate(codeAnalysis)).toEqual({
      tests: { unit_tests: [], integration_tests: [], e2e_tests: [] },
      coverage_estimate: 0,
      test_count: 0,
      execution_time: '0ms',
    })
  },
)

test('the coverage estimate is the share of candidates with a test', async () => {
  const testCandidates = Array.from({ length: 30 }, (_, index) => aCandidate({ symbol: `f${index}` }))
  expect(await generate({ ...anAnalysis({ testCandidates }) })).toMatchObject({
    coverage_estimate: 33.3,
    test_count: 10,
  })
})

test('the legacy answer removes credentials from the address', async () => {
  const request = { repository_url: 'https://user:ghp_secret@example.org/a.git', language: 'Python' }
  const { summary, recommendations } = await mock.analyze(request, { signal })
  expect(summary).toContain('https://example.org/a.git (Python) was not read')
  expect(summary).not.toContain('secret')
  expect(recommendations[1]).toBe(
    '[MOCK RESPONSE] Write the tests in unittest, unless the project has another test framework.',
  )
})

test('does not answer a client that disconnected', async () => {
  const options = { signal: AbortSignal.abort(), maxSuggestions: 3, testType: undefined, framework: undefined }
  await expect(mock.suggestTests(anAnalysis(), options)).rejects.toThrow()
  await expect(mock.generateTests({}, options)).rejects.toThrow()
  await expect(mock.analyze({ repository_url: 'x' }, options)).rejects.toThrow()
})

test('names a closest test once if the new test is added to it', async () => {
  const testCandidates = [aCandidate({ nearestTests: ['src/config.test.ts'] })]
  const { suggestions } = await suggest(anAnalysis({ testCandidates }))
  expect(suggestions[0]?.rationale.match(/src\/config\.test\.ts/g)).toHaveLength(1)
  expect(suggestions[0]?.example_code).toContain('Add this to src/config.test.ts.')
})
