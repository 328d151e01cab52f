import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { withEventReference } from './event-reference.ts'
import { toolReference } from './tool-reference.ts'

const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

test('mcp-tools.md says what the tools say; `npm run docs` updates it', async () => {
  expect(await read('mcp-tools.md')).toBe(toolReference())
})

test('webhooks.md lists every event with its fields; `npm run docs` updates it', async () => {
  const page = await read('webhooks.md')
  expect(page).toBe(withEventReference(page))
  expect(page).toContain('### `test_run.completed`')
  expect(page).toContain('- `coverage` (number or null): percent of lines')
})
