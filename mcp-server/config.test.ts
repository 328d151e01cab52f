import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readMcpConfig, readMcpOptions } from './config.ts'
import { everything } from './selection.ts'

const projectRoot = resolve(import.meta.dirname, '..')

test('requires no settings', () => {
  expect(readMcpConfig({})).toEqual({
    problems: [],
    config: {
      client: {
        baseUrl: undefined,
        token: undefined,
        dataDir: resolve(projectRoot, '.data'),
        loginFile: join(homedir(), '.config', 'assay', 'login.json'),
      },
      port: 4100,
      logLevel: 'info',
      selection: everything,
    },
  })
})

test('an empty setting counts as absent, and a slash at the end of the address does not matter', () => {
  const { config } = readMcpConfig({ SVC_BASE_URL: 'https://assay.example/', SVC_API_TOKEN: '', MCP_PORT: ' ' })
  expect(config).toMatchObject({ client: { baseUrl: 'https://assay.example', token: undefined }, port: 4100 })
})

test('reads the token from DATA_DIR, independent of the current folder', () => {
  expect(readMcpConfig({ DATA_DIR: '/srv/assay' }).config?.client.dataDir).toBe('/srv/assay')
  expect(readMcpConfig({ DATA_DIR: 'data' }).config?.client.dataDir).toBe(resolve(projectRoot, 'data'))
})

test('reports all problems at once, without values that may be secrets', () => {
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

test('serves stdio by default, and HTTP with --http', () => {
  expect(readMcpOptions([])).toEqual({ mode: 'stdio', flags: {} })
  expect(readMcpOptions(['--http'])).toEqual({ mode: 'http', flags: {} })
  expect(readMcpOptions(['--help'])).toEqual({ mode: 'help', flags: {} })
  expect(readMcpOptions(['--version'])).toEqual({ mode: 'version', flags: {} })
})

test('options select tools and take precedence over the environment', () => {
  const options = readMcpOptions(['--http', '--toolsets', 'core,webhooks', '--exclude-tools=whoami', '--read-only'])
  const flags = options.problem === undefined ? options.flags : {}
  expect(options).toEqual({
    mode: 'http',
    flags: { toolsets: 'core,webhooks', exclude_tools: 'whoami', read_only: 'true' },
  })
  const { config } = readMcpConfig({ MCP_TOOLSETS: 'account', MCP_PROJECT: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }, flags)
  expect(config?.selection).toMatchObject({ readOnly: true, projectId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
  expect(config?.selection.chosen?.has('list_projects')).toBe(true)
})

test.each([
  [{ MCP_READ_ONLY: 'read_only-true' }, {}, 'MCP_READ_ONLY must be true or false'],
  [{ MCP_TOOLSETS: 'cores' }, {}, 'MCP_TOOLSETS has unknown names: cores'],
  [{}, { toolsets: ',' }, '--toolsets is empty'],
  [{}, { exclude_tools: 'delete_everything' }, '--exclude-tools has unknown names: delete_everything'],
  [{}, { read_only: 'yes please' }, '--read-only must be true or false'],
  [{ MCP_PROJECT: 'shop' }, {}, 'MCP_PROJECT must be'],
])('%j with %j does not start', (environment, flags, problem) => {
  const { problems, config } = readMcpConfig(environment, flags)
  expect(config).toBeUndefined()
  expect(problems.join()).toContain(problem)
})

test.each([
  [['--htpp'], 'Unknown option: --htpp.'],
  [['--http=true'], 'Unknown option: --http.'],
  [['--http', 'svc_v1_secret'], 'Unknown option: argument.'],
  [['--token=svc_v1_secret'], 'Unknown option: --token.'],
  [['-x'], 'Unknown option: -x.'],
  [['--'], 'Unknown option: argument.'],
  [['--toolsets'], '--toolsets needs a value.'],
])('%j is fatal, and the message does not repeat the value', (args, start) => {
  const { problem } = readMcpOptions(args)
  expect(problem?.startsWith(start)).toBe(true)
  expect(problem).not.toContain('secret')
})
