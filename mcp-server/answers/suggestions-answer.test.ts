import { expect, test } from 'vitest'
import type { SuggestTestsResult } from '../../core/suggestions/schema.ts'
import { longSuggestions, longTesting } from '../../client/testing/suggestions.ts'
import { leaves } from '../testing/clients.ts'
import { tokensOf } from '../tools/tokens.ts'
import { write } from './output.ts'
import { answerSuggestions, SuggestionsAnswer, suggestionsForm } from './suggestions-answer.ts'

const result: SuggestTestsResult = {
  success: true,
  commitSha: 'c'.repeat(40),
  suggestions: longSuggestions(5),
  suggestionCount: 5,
  summary: 'The ranking names 1,000 candidates of 12,345. '.repeat(5),
  coverage: { commitSha: 'b'.repeat(40), behind: 50, measuredFiles: 1_200, changedFiles: 31, goneFiles: 7 },
  testing: longTesting,
  scope: {
    paths: ['packages/payment-reconciliation-service/src'],
    since: 'main',
    baseCommit: 'd'.repeat(40),
    files: 12,
  },
  warnings: ['12 ranked candidates are omitted because each has a generated test. '.repeat(2)],
}

function answer(given: SuggestTestsResult, detail: boolean, namesAmount = false) {
  const localPath = '/home/somebody/checkouts/payment-platform'
  const facts = {
    projectId: '01J9ZZZZZZZZZZZZZZZZZZZZZZ',
    localPath,
    ...answerSuggestions(given, { offset: 0, detail }),
  }
  return write(SuggestionsAnswer.parse(facts), suggestionsForm, namesAmount)
}

test('five suggestions of a repository with long names take at most 1,500 tokens', () => {
  const { text, structured } = answer(result, false)
  expect(tokensOf(text), text).toBeLessThanOrEqual(1_500)
  expect(SuggestionsAnswer.parse(structured)).toEqual(structured)
  const { suggestions } = SuggestionsAnswer.parse(structured)
  expect(suggestions).toHaveLength(5)
  expect(suggestions.map(({ cases = [] }) => cases.length)).toEqual([5, 5, 5, 5, 5])
  for (const { brief, through, target, example_code } of suggestions) {
    expect([brief?.parameters?.length, through?.symbol.length, target?.startLine]).toEqual([2, expect.any(Number), 298])
    expect(example_code).toBeUndefined()
  }
})

test('the text says once how the project is tested, then place, cases and brief of each', () => {
  const { text } = answer(result, false)
  expect(text.match(/npm run test:unit/g)).toHaveLength(1)
  expect(text).toMatch(/^5\. packages\/.*:298-371 .*, through .* \(id 01J9Z+04\)$/m)
  expect(text).toMatch(/^ {3}L\d+ throws ReconciliationError/m)
  expect(text).toMatch(/^ {3}import: import \{ OutstandingTransactionReconciler \}/m)
  expect(text).toContain('Limited to packages/payment-reconciliation-service/src, changes since main, from ddddddd on')
  expect(text).toContain('measured 50 commits earlier')
  expect(text).not.toContain("import { expect, test } from 'vitest'")
})

test('a caller who has tried to measure is not told to try', () => {
  const unmeasured = { ...result, coverage: null }
  expect(answerSuggestions(unmeasured, { offset: 0 }).coverage).toContain('measure: true')
  const tried = answerSuggestions(unmeasured, { offset: 0, measure: true })
  expect(tried.coverage).toBe('Coverage is estimated, because no run has measured it.')
})

test('with detail the text has all facts and an example of each', () => {
  const one = { ...result, suggestions: longSuggestions(1) }
  const { text, structured } = answer(one, true)
  expect(text).toContain("import { expect, test } from 'vitest'")
  const { offset: _offset, ...facts } = structured
  for (const line of leaves(facts).flatMap((leaf) => leaf.split('\n'))) expect(text).toContain(line)
})
