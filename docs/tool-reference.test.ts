import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toolReference } from './tool-reference.ts'

test('the reference of the tools is what the tools say; `npm run docs` brings it up to date', async () => {
  expect(await readFile(new URL('mcp-tools.md', import.meta.url), 'utf8')).toBe(toolReference())
})
