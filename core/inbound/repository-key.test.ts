import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../testing/app.ts'
import { repositoryKey } from './repository-key.ts'

let app: TestApp
beforeAll(async () => void (app = await createTestApp({ role: 'web' })))
afterAll(() => app[Symbol.asyncDispose]())

test('normalizes every spelling of a URL to one key, like the database function', async () => {
  const plain = ['https://Host.example/A/b', 'HTTP://host.example/a/B.git', 'https://host.example/a/b.git//']
  const ssh = ['git@host.example:a/b.git', 'ssh://git@host.example:22/a/b', 'ssh://git@host.example/a/b.git']
  for (const address of [...plain, ...ssh]) expect(repositoryKey(address), address).toBe('host.example/a/b')
  expect(repositoryKey('https://host.example:8443/a/b')).toBe('host.example:8443/a/b')
  expect(repositoryKey('/srv/a')).toBeUndefined()
  for (const address of [...plain, 'https://host.example:8443/a/b.git', 'https://h/a.github.io']) {
    const [row] = await app.dataSource.query<{ key: string }[]>('SELECT repository_key($1) AS key', [address])
    expect(row?.key).toBe(repositoryKey(address))
  }
})
