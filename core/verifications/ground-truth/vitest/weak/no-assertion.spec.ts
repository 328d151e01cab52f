import { test } from 'vitest'
import { parseSettings } from '../src/parse-settings.ts'

test('reads settings', () => {
  parseSettings('host = example.com\n# port\n')
  parseSettings('')
})
