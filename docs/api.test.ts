import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { appRouter } from '../core/router.ts'
import { Scope, scopeDescriptions } from '../core/base/schema.ts'
import { requiredScopes } from '../core/scopes.ts'

test('the reference names every procedure and route with its scope', async () => {
  const reference = await readFile(new URL('api.md', import.meta.url), 'utf8')
  const rows = reference
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  for (const procedure of Object.keys(appRouter._def.procedures)) {
    expect(
      rows.some(([, name]) => name === procedure),
      procedure,
    ).toBe(true)
  }
  for (const [door, scope] of Object.entries(requiredScopes)) {
    expect(
      rows.find(([, name]) => name === door),
      door,
    ).toContain(scope ?? 'any')
  }
})

test('the reference describes every scope in the words that clients show', async () => {
  const reference = await readFile(new URL('api.md', import.meta.url), 'utf8')
  for (const scope of Scope.options) {
    const row = reference.split('\n').find((line) => line.startsWith(`| \`${scope}\` `))
    expect(row?.split('|')[2]?.trim()).toBe(scopeDescriptions[scope])
    expect(scopeDescriptions[scope]).toMatch(/^[A-Z][^.]+\.$/)
  }
})
