import { expect, test } from 'vitest'
import { createRecentSuggestions } from './recent-suggestions.ts'

const made = (projectId: string) => ({
  projectId,
  result: { success: true as const, commitSha: 'c', suggestions: [], summary: '', suggestionCount: 0 },
})

test('keeps suggestions for ten minutes under their key', () => {
  let now = 0
  const suggestions = createRecentSuggestions(() => now)
  suggestions.keep('a', made('1'))
  now = 599_999
  expect(suggestions.find('a')?.projectId).toBe('1')
  expect(suggestions.find('b')).toBeUndefined()
  now = 600_000
  expect(suggestions.find('a')).toBeUndefined()
})

test('drops the oldest suggestions above the limit', () => {
  const suggestions = createRecentSuggestions(() => 0)
  for (let index = 0; index <= 100; index += 1) suggestions.keep(String(index), made(String(index)))
  expect(suggestions.find('0')).toBeUndefined()
  expect(suggestions.find('1')?.projectId).toBe('1')
  expect(suggestions.find('100')?.projectId).toBe('100')
})
