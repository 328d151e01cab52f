import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CodeHost, startCodeHost } from '../../core/testing/code-host.ts'
import { createLinkFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { createRepository, type TestRepository } from '../../client/testing/repository.ts'
import { guides } from '../protocol/guides.ts'
import { prompts } from '../protocol/prompts.ts'
import { childEnvironment } from '../testing/clients.ts'
import { createEverything, type Everything } from '../testing/everything.ts'
import { type Stack, startStack } from '../testing/stack.ts'
import { tools } from '../tools/index.ts'
import { installed } from './install.ts'

const version = '2.12.0'

let inspector: string
let home: string
let stack: Stack
let host: CodeHost
let shop: TestRepository
let token: string
let owned: Everything

beforeAll(async () => {
  inspector = await installed('@modelcontextprotocol/inspector', version, 'mcp-inspector')
  home = await mkdtemp(join(tmpdir(), 'assay-inspector-'))
  const linkToken = 'gho_tokenOfOctocat1234567890'
  host = await startCodeHost({ repositories: [{ owner: 'octocat', name: 'shop' }] })
  host.tokens = new Map([[linkToken, { login: 'octocat', scopes: ['repo'] }]])
  stack = await startStack({ codeHost: host.config })
  shop = await createRepository({
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'a.test.js': "import { test } from 'node:test'\ntest('adds up', () => {})\n",
  })
  const user = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user })
  await createLinkFor(stack.core, { accessToken: linkToken }, user)
  owned = await createEverything(stack.core, user)
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
})

const readTools = tools.filter(({ hints }) => hints.readOnlyHint).map(({ name }) => name)

/** The arguments of each tool; the other tools take none. */
const takes: Readonly<Record<string, () => Record<string, string | undefined>>> = {
  get_project: () => ({ projectId: owned['projectId'] }),
  get_analysis: () => ({ projectId: owned['projectId'], section: 'candidates' }),
  list_runs: () => ({ projectId: owned['projectId'] }),
  get_run: () => ({ runId: owned['runId'] }),
  wait_for_run: () => ({ runId: owned['runId'] }),
  get_run_failures: () => ({ runId: owned['runId'] }),
  get_run_log: () => ({ runId: owned['runId'] }),
  list_webhooks: () => ({ projectId: owned['projectId'] }),
  list_webhook_deliveries: () => ({ webhookId: owned['webhookId'] }),
  get_organization: () => ({ slug: owned['slug'] }),
  // The history requires a test that has run.
  get_test_health: () => ({ projectId: owned['projectOfRuns'], search: 'adds up' }),
}

const places = [
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const

interface Inspected {
  code: number
  stdout: string
  stderr: string
}

/** Runs the Inspector as on a command line. */
async function inspect(transport: string, era: string, args: readonly string[]): Promise<Inspected> {
  const target =
    transport === 'http'
      ? [`${stack.mcpUrl}?toolsets=all`, '--header', `Authorization: Bearer ${token}`]
      : [process.execPath, join(import.meta.dirname, '../start.mjs')]
  const options = ['--transport', transport, '--protocol-era', era, '--format', 'json', '-q']
  const settings = { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token, MCP_TOOLSETS: 'all', LOG_LEVEL: 'silent' }
  const env = transport === 'http' ? [] : Object.entries(settings).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const command = [inspector, '--cli', ...target, ...options, ...env, ...args]
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      env: childEnvironment({ HOME: home }),
      timeout: 100_000,
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Inspected
    return { code, stdout, stderr }
  }
}

beforeAll(async () => {
  const client = stack.core.client(token)
  const { id } = await client.projects.createProject.mutate({ name: 'Runs', repository: shop.path })
  const { id: runId } = await client.testRuns.trigger.mutate({ projectId: id })
  await client.testRuns.get.query({ runId, waitSeconds: 45 })
  owned = { ...owned, projectOfRuns: id }
})

describe.each(places)('over %s in the %s era', (transport, era) => {
  test.concurrent('lists the tools with schemas that clients accept', async () => {
    const { code, stdout, stderr } = await inspect(transport, era, ['--method', 'tools/list', '--strict'])
    expect([code, stderr]).toEqual([0, expect.anything()])
    for (const { name } of tools) expect(stdout).toContain(`"${name}"`)
  })

  test.concurrent.each(readTools)('calls %s', async (name) => {
    const given = Object.entries(takes[name]?.() ?? {}).flatMap(([key, value]) => [
      '--tool-arg',
      `${key}=${value ?? ''}`,
    ])
    const called = await inspect(transport, era, ['--method', 'tools/call', '--tool-name', name, ...given])
    expect(called.code, called.stdout + called.stderr).toBe(0)
    expect(called.stdout).toContain('structuredContent')
    expect(called.stdout).not.toContain(token)
  })

  test.concurrent.each([
    ['resources/list', [], guides[0].name],
    ['resources/templates/list', [], 'run://{id}/report'],
    ['resources/read', ['--uri', 'guide://red-to-green'], 'trigger_run'],
    ['prompts/list', [], prompts[0]?.name ?? ''],
    ['prompts/get', ['--prompt-name', 'triage-flaky', '--prompt-args', 'branch=next'], 'branch next'],
  ])('answers %s', async (method, args, expected) => {
    const answer = await inspect(transport, era, ['--method', method, ...args])
    expect(answer.code, answer.stdout + answer.stderr).toBe(0)
    expect(answer.stdout).toContain(expected)
  })
})

test('a call without a token ends with an authentication error', async () => {
  const mine = token
  token = 'nothing'
  const { code, stdout, stderr } = await inspect('http', 'modern', ['--method', 'tools/list'])
  token = mine
  expect(code).not.toBe(0)
  expect(stdout + stderr).toMatch(/auth|401/i)
})
