import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readMcpConfig, readMcpOptions } from './config.ts'

const projectRoot = resolve(import.meta.dirname, '..')

test('nothing needs to be set', () => {
  expect(readMcpConfig({})).toEqual({
    problems: [],
    config: {
      baseUrl: 'http://localhost:4000',
      token: undefined,
      dataDir: resolve(projectRoot, '.data'),
      port: 4100,
      logLevel: 'info',
    },
  })
})

test('an empty setting counts as absent, and a slash at the end of the address does not matter', () => {
  const { config } = readMcpConfig({ SVC_BASE_URL: 'https://assay.example/', SVC_API_TOKEN: '', MCP_PORT: ' ' })
  expect(config).toMatchObject({ baseUrl: 'https://assay.example', token: undefined, port: 4100 })
})

test('a data folder of one’s own is where the token is looked for, wherever we are started', () => {
  expect(readMcpConfig({ DATA_DIR: '/srv/assay' }).config?.dataDir).toBe('/srv/assay')
  expect(readMcpConfig({ DATA_DIR: 'data' }).config?.dataDir).toBe(resolve(projectRoot, 'data'))
})

test('everything wrong is named at once, without repeating what may be a secret', () => {
  const { problems } = readMcpConfig({
    SVC_BASE_URL: 'localhost',
    SVC_API_TOKEN: 'sk-somebody-elses-secret',
    MCP_PORT: 'many',
    LOG_LEVEL: 'loud',
  })
  expect(problems).toHaveLength(4)
  for (const name of ['SVC_BASE_URL', 'SVC_API_TOKEN', 'MCP_PORT', 'LOG_LEVEL']) {
    expect(problems.some((problem) => problem.startsWith(`${name} must be`))).toBe(true)
  }
  expect(problems.join()).not.toContain('secret')
})

test('stdio is the default and HTTP is asked for', () => {
  expect(readMcpOptions([])).toEqual({ mode: 'stdio' })
  expect(readMcpOptions(['--http'])).toEqual({ mode: 'http' })
  expect(readMcpOptions(['--help'])).toEqual({ mode: 'help' })
})

test.each([
  [['--htpp'], '--htpp'],
  [['--http=true'], '--http'],
  [['--http', 'svc_v1_secret'], 'argument'],
  [['--token=svc_v1_secret'], '--token'],
  [['-x'], '-x'],
  [['--'], 'argument'],
])('%j is fatal, names the known options and repeats no value', (args, named) => {
  const { problem } = readMcpOptions(args)
  expect(problem).toBe(`Unknown option: ${named}. Known: --http, --help.`)
})
