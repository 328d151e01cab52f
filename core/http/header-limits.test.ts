import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { headerLimits } from './header-limits.ts'

let app: TestApp
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Node sets these itself, or rejects other values. */
const ofTheConnection = ['content-length', 'host', 'transfer-encoding', 'access-control-request-method']

test.each(Object.entries(headerLimits).filter(([name]) => !ofTheConnection.includes(name)))(
  'rejects a header %s that is longer than %d characters',
  async (name, max) => {
    const response = await app.fetch('/health', { headers: { [name]: 'x'.repeat(max + 1) } })
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ message: `The header ${name} may have at most ${max} characters.` }),
    ])
  },
)

test('ignores the length of headers that it does not read', async () => {
  const headers = { 'x-other': 'x'.repeat(8_000), cookie: `other=${'x'.repeat(6_000)}` }
  expect((await app.fetch('/health', { headers })).status).toBe(200)
})

test('has a limit for every header that the code reads', async () => {
  const read = new Set<string>()
  // Answers of other servers have headers as well, which their clients bound.
  for await (const file of glob('core/**/*.ts')) {
    if (/\.test\.ts$|\/testing|^core\/(?:code-host|webhooks)\//.test(file)) continue
    const code = readFileSync(file, 'utf8')
    const pattern = /\bheaders\??\.(\w+)|\bheaders\[['"]([\w-]+)['"]\]|\bkoa\.(?:req\.)?get\('([\w-]+)'\)/g
    for (const [, property, index, getter] of code.matchAll(pattern)) {
      read.add((property ?? index ?? getter ?? '').toLowerCase())
    }
  }
  // The middle ones are not names of headers, or those of an answer.
  const unlimited = ['cookie', 'ts', 'get', 'foreach', 'etag', 'user-agent']
  expect([...read].filter((name) => !(name in headerLimits) && !unlimited.includes(name))).toEqual([])
  expect(read.size).toBeGreaterThan(10)
})
