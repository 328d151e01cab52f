import { expect, test } from 'vitest'
import type { AnalyzedFile } from './schema.ts'
import type { FileTag } from '../languages/schema.ts'
import { primaryLanguage } from './primary-language.ts'

const file = (language: string, size: number, ...tags: FileTag[]): AnalyzedFile => ({
  path: 'x',
  extension: '',
  language,
  size,
  ...(tags.length > 0 && { tags }),
})

test('is the programming language with the most bytes, dialects counted with their language', () => {
  expect(primaryLanguage([file('Go', 100), file('TSX', 60), file('TypeScript', 50)])).toBe('TypeScript')
  expect(primaryLanguage([file('JSON', 9_000), file('Markdown', 9_000), file('Shell', 10)])).toBe('Shell')
})

test('is not what others wrote, what tools wrote or what is only explained', () => {
  const files = [file('C', 900, 'vendored'), file('Java', 900, 'generated'), file('Ruby', 900, 'documentation')]
  expect(primaryLanguage([...files, file('Python', 1)])).toBe('Python')
  expect(primaryLanguage(files)).toBeUndefined()
  expect(primaryLanguage([])).toBeUndefined()
})
