/** A valid answer of a model about `anAnalysis`. */
export const aSuggestion = (changes: Record<string, unknown> = {}) => ({
  file_path: 'src/config.ts',
  symbol: 'parseConfig',
  case_ids: [],
  test_type: 'unit',
  description: 'An empty text gives the defaults.',
  rationale: 'It branches often.',
  example_code: "import { expect, test } from 'vitest'\n",
  ...changes,
})

export const suggesting = (...suggestions: object[]) => JSON.stringify({ summary: 'Config first.', suggestions })

export const aTest = (changes: Record<string, unknown> = {}) => ({
  name: 'parseConfig takes defaults',
  file: 'src/config.defaults.test.ts',
  test_type: 'unit',
  framework: 'vitest',
  code: "import { expect, test } from 'vitest'\nimport { parseConfig } from './config'\n\ntest('defaults', () => {\n  expect(parseConfig('')).toEqual({})\n})\n",
  covers: 'A lost default.',
  target_path: 'src/config.ts',
  target_symbol: 'parseConfig',
  case_ids: [],
  ...changes,
})

export const generating = (...tests: object[]) => JSON.stringify({ tests })
