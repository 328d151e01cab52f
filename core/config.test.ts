import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'

let DATA_DIR: string
beforeAll(async () => void (DATA_DIR = await mkdtemp(join(tmpdir(), 'assay-config-'))))
afterAll(() => rm(DATA_DIR, { recursive: true }))

const EMBEDDED_DATABASE_URL = 'postgres://assay:x@127.0.0.1:1/assay'

test('without settings, the launcher has a complete local mode', () => {
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
    localRepositories: 'owner',
    role: 'all',
  })
})

test('all invalid settings are reported at once', () => {
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

test('files are stored in the data folder, and an invalid STORAGE_URL is reported with the other problems', () => {
  const storage = { kind: 'folder', path: join(DATA_DIR, 'files') }
  expect(readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR, STORAGE_URL: '' }).config).toMatchObject({ storage })
  const { problems } = readConfig({ PORT: 'x', STORAGE_URL: 's3://B?acl=1', AWS_ACCESS_KEY_ID: 'hunter2' })
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'STORAGE_URL',
    'STORAGE_URL',
    'STORAGE_URL',
    'AWS_ACCESS_KEY_ID',
  ])
  expect(problems.join()).not.toContain('hunter2')
})

test('production reports all missing settings at once, and is never local', () => {
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
    localRepositories: 'nobody',
  })
})

test('local mode binds to loopback only', () => {
  expect(readConfig({ EMBEDDED_DATABASE_URL, HOST: '0.0.0.0' }).problems).toEqual([expect.stringContaining('loopback')])
})

test('an unusable data folder gives one clear problem', () => {
  for (const folder of ['/proc/assay', '/dev/null/assay', '/dev/null']) {
    const { problems } = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR: folder })
    expect(problems).toEqual([expect.stringMatching(`^DATA_DIR ${folder} cannot be used: `)])
  }
})

test('local mode with your own database is still local', () => {
  const { config } = readConfig({ DATABASE_URL: 'postgres://db/assay', DATA_DIR })
  expect(config).toMatchObject({ local: true, embeddedDatabase: false, databaseUrl: 'postgres://db/assay' })
})

test('an empty setting counts as absent, but empty OUTBOUND_ALLOW_CIDRS allows nothing', () => {
  const { config } = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR, PORT: '', OUTBOUND_ALLOW_CIDRS: '' })
  expect(config).toMatchObject({ port: 4000, outboundAllowCidrs: [] })
})

test('the secret key is created once, unreadable for other users', async () => {
  const first = readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR }).config?.secretKey
  const path = join(DATA_DIR, 'secret-key')
  expect((await readFile(path, 'utf8')).trim()).toBe(first)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(readConfig({ EMBEDDED_DATABASE_URL, DATA_DIR }).config?.secretKey).toBe(first)
})

const base = { EMBEDDED_DATABASE_URL: 'postgres://assay:x@127.0.0.1:1/assay', SECRET_KEY: 'x'.repeat(32) }
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://db/assay',
  SECRET_KEY: 'x'.repeat(32),
  BASE_URL: 'https://assay.example.com',
}

test('sign-in, sessions, limits and mail have secure defaults', () => {
  expect(readConfig(base).config).toMatchObject({
    codeHost: { client: undefined, url: 'https://github.com', apiUrl: 'https://api.github.com' },
    corsOrigins: ['http://localhost:5173', 'http://localhost:3000'],
    trustProxy: 0,
    rateLimit: 'standard',
    signUp: 'invite',
    sessions: { rotationIntervalMs: 10_000, rotationGraceMs: 10_000, absoluteMs: 30 * 86_400_000, idleMs: 0 },
    mail: { smtpUrl: undefined, from: 'Assay <no-reply@localhost>' },
  })
  expect(readConfig(production).config).toMatchObject({
    corsOrigins: [],
    trustProxy: 0,
    rateLimit: 'standard',
    signUp: 'invite',
    mail: { from: 'Assay <no-reply@assay.example.com>' },
  })
})

test('sign-in, sessions, limits and mail follow their settings', () => {
  const { config, problems } = readConfig({
    ...production,
    CODE_HOST_CLIENT_ID: 'id',
    CODE_HOST_CLIENT_SECRET: 'secret',
    CORS_ORIGINS: ' https://app.example.com, http://localhost:5173,,',
    TRUST_PROXY: '2',
    RATE_LIMIT: 'by-type',
    SIGN_UP: 'closed',
    SESSION_ROTATION_INTERVAL_MS: '0',
    SESSION_ROTATION_GRACE_MS: '5000',
    SESSION_ABSOLUTE_DAYS: '7',
    SESSION_IDLE_MINUTES: '30',
    SMTP_URL: 'smtps://user:password@mail.example.com:465',
    MAIL_FROM: 'Tests <tests@example.com>',
  })
  expect(problems).toEqual([])
  expect(config).toMatchObject({
    codeHost: { client: { id: 'id', secret: 'secret' } },
    corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
    trustProxy: 2,
    rateLimit: 'by-type',
    signUp: 'closed',
    sessions: { rotationIntervalMs: 0, rotationGraceMs: 5_000, absoluteMs: 7 * 86_400_000, idleMs: 1_800_000 },
    mail: { smtpUrl: 'smtps://user:password@mail.example.com:465', from: 'Tests <tests@example.com>' },
  })
})

test.each([
  [undefined, undefined, 'https://github.com', 'https://api.github.com'],
  ['https://github.com/', undefined, 'https://github.com', 'https://api.github.com'],
  ['https://git.example.com/', undefined, 'https://git.example.com', 'https://git.example.com/api/v3'],
  ['https://git.example.com', 'https://api.git.example.com/', 'https://git.example.com', 'https://api.git.example.com'],
])('the code host at %s with the API at %s', (CODE_HOST_URL, CODE_HOST_API_URL, url, apiUrl) => {
  expect(readConfig({ ...base, CODE_HOST_URL, CODE_HOST_API_URL }).config?.codeHost).toMatchObject({ url, apiUrl })
})

test('the app of the code host has an id and a private key, in the setting or in a file', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const CODE_HOST_APP_ID = '4711'
  const app = { id: '4711', privateKey: key }
  const oneLine = { CODE_HOST_APP_ID, CODE_HOST_APP_PRIVATE_KEY: key.replaceAll('\n', '\\n') }
  expect(readConfig({ ...base, ...oneLine }).config?.codeHost.app).toEqual(app)
  const folder = await mkdtemp(join(tmpdir(), 'assay-app-'))
  const CODE_HOST_APP_PRIVATE_KEY_FILE = join(folder, 'key.pem')
  await writeFile(CODE_HOST_APP_PRIVATE_KEY_FILE, key)
  const inFile = { ...base, CODE_HOST_APP_ID, CODE_HOST_APP_PRIVATE_KEY_FILE }
  expect(readConfig(inFile).config?.codeHost.app).toEqual(app)
  expect(readConfig({ ...inFile, ...oneLine }).problems).toEqual([expect.stringContaining('not both')])
  await rm(folder, { recursive: true })
  for (const wrong of [
    inFile,
    { ...base, CODE_HOST_APP_ID },
    { ...base, CODE_HOST_APP_PRIVATE_KEY: key },
    { ...base, CODE_HOST_APP_ID, CODE_HOST_APP_PRIVATE_KEY: 'hush' },
    { ...base, CODE_HOST_APP_ID: 'hush', CODE_HOST_APP_PRIVATE_KEY: key },
  ]) {
    expect(readConfig(wrong).problems).toEqual([expect.stringMatching(/^CODE_HOST_APP_/)])
    expect(readConfig(wrong).problems.join()).not.toContain('hush')
  }
})

test.each(['CODE_HOST_CLIENT_ID', 'CODE_HOST_CLIENT_SECRET'])('%s alone is a problem', (name) => {
  expect(readConfig({ ...base, [name]: 'x' }).problems).toEqual([expect.stringContaining('must be set together')])
  expect(readConfig({ ...base, CODE_HOST_CLIENT_ID: '', CODE_HOST_CLIENT_SECRET: '' }).problems).toEqual([])
})

test.each([
  '*',
  'null',
  'app.example.com',
  'https://app.example.com/',
  'https://app.example.com/path',
  'https://*.example.com',
  'https://APP.example.com',
  'https://app.example.com:443',
  'https://user@app.example.com',
  'https://app.example.com?x',
  'ftp://app.example.com',
  'javascript:alert(1)',
  'https://',
])('CORS_ORIGINS with %s is refused by name, beside a good one too', (wrong) => {
  for (const value of [wrong, `https://good.example.com,${wrong}`]) {
    const { problems } = readConfig({ ...base, CORS_ORIGINS: value })
    expect(problems).toEqual([expect.stringMatching('^CORS_ORIGINS must be origins such as')])
    expect(problems[0]).toContain(wrong)
    expect(problems[0]).not.toContain('good')
  }
})

test.each([
  ['TRUST_PROXY', ['-1', '11', '1.5', 'true', 'loopback', '1x']],
  ['RATE_LIMIT', ['on', 'none', 'STANDARD', '100']],
  ['SIGN_UP', ['yes', 'invited', 'Open']],
  ['SESSION_ROTATION_INTERVAL_MS', ['-1', '1.5', '10s', '3600001']],
  ['SESSION_ROTATION_GRACE_MS', ['-1', 'off']],
  ['SESSION_ABSOLUTE_DAYS', ['0', '366', '1.5', 'never']],
  ['SESSION_IDLE_MINUTES', ['-1', '525601', 'off']],
  ['SMTP_URL', ['mail.example.com', 'http://mail.example.com', 'smtp']],
  ['CODE_HOST_URL', ['github.com', 'ssh://git.example.com', 'javascript:alert(1)']],
  ['CODE_HOST_API_URL', ['api.github.com', 'file:///x']],
])('%s takes none of %j', (name, values) => {
  for (const value of values) {
    expect(readConfig({ ...base, [name]: value }).problems, value).toEqual([expect.stringMatching(`^${name} must `)])
  }
})

test('the idle timeout must be longer than the rotation', () => {
  const problems = (interval: string, minutes: string) =>
    readConfig({ ...base, SESSION_ROTATION_INTERVAL_MS: interval, SESSION_IDLE_MINUTES: minutes }).problems
  expect(problems('600000', '20')).toEqual([
    expect.stringMatching(/^SESSION_IDLE_MINUTES must be 0, or at least twice/),
  ])
  expect(problems('600000', '21')).toEqual([])
  expect(problems('600000', '0')).toEqual([])
})

test('in production, BASE_URL is https except on loopback, and never has a path', () => {
  const problems = (BASE_URL: string) => readConfig({ ...production, BASE_URL }).problems
  expect(problems('http://assay.example.com')).toEqual([expect.stringContaining('must start with https')])
  expect(problems('http://localhost.example.com')).toEqual([expect.stringContaining('must start with https')])
  expect(problems('ws://assay.example.com')).toEqual([expect.stringMatching(/^BASE_URL must be/)])
  for (const fine of [
    'https://assay.example.com:8443',
    'http://localhost:4000',
    'http://127.0.0.1',
    'http://[::1]:1',
  ]) {
    expect(problems(fine)).toEqual([])
  }
  for (const more of ['/assay', '/?x=1', '#x', '/assay/']) {
    expect(problems(`https://assay.example.com${more}`), more).toEqual([
      expect.stringContaining('BASE_URL must not have'),
    ])
  }
  expect(problems('https://somebody:secret@assay.example.com')).toEqual([
    expect.stringContaining('BASE_URL must not have'),
  ])
})

test('receivers and billing require long secrets, and plans are lists of prices', () => {
  const { config } = readConfig({
    ...base,
    CODE_HOST_WEBHOOK_SECRET: 'sixteen characters',
    INBOUND_LEGACY_SHA1: 'on',
    BILLING_PRICE_TEAM: 'price_1, price_2,',
  })
  expect(config?.inbound).toEqual({ secret: 'sixteen characters', appSecret: undefined, legacySha1: true })
  expect(config?.billing).toEqual({ secret: undefined, prices: { team: ['price_1', 'price_2'], unlimited: [] } })
  const { problems } = readConfig({ ...base, CODE_HOST_APP_WEBHOOK_SECRET: 'short', BILLING_WEBHOOK_SECRET: 'short' })
  expect(problems).toHaveLength(2)
})

test('no problem contains a secret', () => {
  const { problems } = readConfig({
    ...base,
    SECRET_KEY: 'hush',
    SMTP_URL: 'http://user:hush@mail.example.com',
    CODE_HOST_CLIENT_SECRET: 'hush',
    DATABASE_URL: 'mysql://user:hush@db',
  })
  expect(problems.length).toBeGreaterThanOrEqual(3)
  expect(problems.join()).not.toContain('hush')
})
