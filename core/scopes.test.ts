import { expect, test } from 'vitest'
import { appRouter } from './router.ts'
import { requiredScopes } from './scopes.ts'
import { createTestApp } from './testing/app.ts'
import { createTokenFor } from './testing/factories.ts'
import { Scope } from './base/schema.ts'

const open = ['health', 'auth.getSession']
const procedures = Object.keys(appRouter._def.procedures)

test('every procedure but the open ones names its scope, and no scope is kept for one that is gone', () => {
  const named = Object.keys(requiredScopes).filter((entryPoint) => !entryPoint.includes(' '))
  expect(named.toSorted()).toEqual(procedures.filter((path) => !open.includes(path)).toSorted())
})

test('a procedure refuses every token that lacks exactly its scope', async () => {
  await using app = await createTestApp()
  for (const path of procedures) {
    const needed = requiredScopes[path]
    if (!needed) continue
    const token = await createTokenFor(app, { scopes: Scope.options.filter((scope) => scope !== needed) })
    const response = await app.fetch(`/trpc/${path}`, {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const { message } = (await response.json()) as { message: string }
    expect([path, response.status, message]).toEqual([path, 403, expect.stringContaining(needed)])
  }
})
