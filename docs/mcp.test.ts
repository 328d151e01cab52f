import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tools } from '../mcp-server/tools/index.ts'

test('the page on the MCP server names every tool with its scope', async () => {
  const page = await readFile(new URL('mcp.md', import.meta.url), 'utf8')
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  for (const { name, scope } of tools) {
    expect(
      rows.find(([, tool]) => tool === name),
      name,
    ).toContain(scope ?? 'any')
  }
})
