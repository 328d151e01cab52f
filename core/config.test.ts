import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'

let DATA_DIR: string
beforeAll(async () => void (DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-config-'))))
afterAll(() => rm(DATA_DIR, { recursive: true }))

const EMBEDDED_DATABASE_URL = 'postgres://assay:x@127.0.0.1:1/assay'

test('with nothing set, the launcher has a complete local mode', () => {
  const { config, problems } = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR })
  expect(problems).toEqual([])
  expect(config).toMatchObject({
    local: true,
    production: false,
    host: '127.0.0.1',
    port: 4000,
    baseUrl: 'http://localhost:4000',
    databaseUrl: EMBEDDED_DATABASE_URL,
    outboundAllowCidrs: ['127.0.0.0/8', '::1/128'],
    repositoriesAllowLocal: true,
    role: 'all',
  })
})

test('every wrong setting is named at once', () => {
  const { problems } = readConfig({
    EMBEDDED_DATABASE_URL,
    PORT: 'http',
    BASE_URL: 'ftp://x',
    ROLE: 'boss',
    OUTBOUND_ALLOW_CIDRS: '10.0.0.0/99',
    REPOSITORIES_ALLOW_LOCAL: 'perhaps',
    SECRET_KEY: 'short',
    LOG_LEVEL: 'loud',
  })
  const names = [
    'PORT',
    'BASE_URL',
    'ROLE',
    'OUTBOUND_ALLOW_CIDRS',
    'REPOSITORIES_ALLOW_LOCAL',
    'SECRET_KEY',
    'LOG_LEVEL',
  ]
  expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual(names.toSorted())
  expect(problems.join()).not.toContain('short')
})

test('production names everything that is missing at once, and is never local', () => {
  expect(readConfig({ NODE_ENV: 'production', EMBEDDED_DATABASE_URL }).problems).toEqual(
    ['DATABASE_URL', 'SECRET_KEY', 'BASE_URL'].map((name) => `${name} is required when NODE_ENV is production`),
  )
  const { config } = readConfig({
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://db/assay',
    SECRET_KEY: 'x'.repeat(32),
    BASE_URL: 'https://assay.example.com/',
  })
  expect(config).toMatchObject({
    local: false,
    production: true,
    baseUrl: 'https://assay.example.com',
    outboundAllowCidrs: [],
    repositoriesAllowLocal: false,
  })
})

test('local mode binds to loopback only', () => {
  expect(readConfig({ EMBEDDED_DATABASE_URL, HOST: '0.0.0.0' }).problems).toEqual([expect.stringContaining('loopback')])
})

test('a folder that cannot be used is one clear problem', () => {
  for (const folder of ['/proc/assay', '/dev/null/assay', '/dev/null']) {
    const { problems } = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR: folder })
    expect(problems).toEqual([expect.stringMatching(`^DATA_DIR ${folder} cannot be used: `)])
  }
})

test('local mode with a database of one’s own is local all the same', () => {
  const { config } = readConfig({ DATABASE_URL: 'postgres://db/assay', DATA_DIR })
  expect(config).toMatchObject({ local: true, embeddedDatabase: false, databaseUrl: 'postgres://db/assay' })
})

test('an empty setting counts as absent, but empty OUTBOUND_ALLOW_CIDRS allows nothing', () => {
  const { config } = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR, PORT: '', OUTBOUND_ALLOW_CIDRS: '' })
  expect(config).toMatchObject({ port: 4000, outboundAllowCidrs: [] })
})

test('the secret key is made once and kept from other users', async () => {
  const first = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR }).config?.secretKey
  const path = join(DATA_DIR, 'secret-key')
  expect((await readFile(path, 'utf8')).trim()).toBe(first)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR }).config?.secretKey).toBe(first)
})
