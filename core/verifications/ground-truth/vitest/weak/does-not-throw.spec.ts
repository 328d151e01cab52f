import { expect, test } from 'vitest'
import { parseSettings } from '../src/parse-settings.ts'

test('reads settings without an error', () => {
  expect(() => parseSettings('host = example.com\nport = 80')).not.toThrow()
})
