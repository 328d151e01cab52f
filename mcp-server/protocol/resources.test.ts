import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FileEntity } from '../../core/files/entity.ts'
import { newId } from '../../core/base/ids.ts'
import { createTokenFor, createUser } from '../../core/testing/factories.ts'
import { defaultBudgetTokens, estimateTokens } from '../answers/output.ts'
import { prompts } from './prompts.ts'
import { instructionsFor } from '../instructions.ts'
import { everything, selectTools } from '../selection.ts'
import { connectV1, connectV2, type TestClient } from '../testing/clients.ts'
import { createEverything, type Everything } from '../testing/everything.ts'
import { type Stack, startStack } from '../testing/stack.ts'
import { tools } from '../tools/index.ts'

let stack: Stack
let owned: Everything
let url: string
let token: string
let stranger: TestClient

beforeAll(async () => {
  stack = await startStack()
  url = stack.mcpUrl
  const owner = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user: owner })
  owned = await createEverything(stack.core, owner)
  stranger = await connectV2({ kind: 'http', url, token: await createTokenFor(stack.core) }, 'auto')
})
afterAll(async () => {
  await stranger[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

const eras = [
  ['the older era', () => connectV1({ kind: 'http', url, token })],
  ['the newest era', () => connectV2({ kind: 'http', url, token }, 'auto')],
] as const

const addresses = () => [
  `run://${owned['runId']}/report`,
  `run://${owned['runId']}/log`,
  `run://${owned['runId']}/artifacts`,
  `project://${owned['projectId']}/analysis`,
]

const toolNames = new Set(tools.map(({ name }) => name))
/** Words that look like names of tools. */
const otherWords = new Set(['no_gain', 'not_built', 'suspected_bug', 'no_code_changed'])
const unknownTools = (text: string) =>
  (text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).filter((word) => !toolNames.has(word) && !otherWords.has(word))

describe.each(eras)('in %s', (_era, connect) => {
  test('guides can be listed and read, and name only existing tools', async () => {
    await using client = await connect()
    const uris = await client.resources()
    const names = ['getting-started', 'red-to-green', 'good-test', 'proved-change', 'webhooks']
    expect(uris).toEqual(names.map((name) => `guide://${name}`))
    for (const uri of uris) {
      const text = await client.readResource(uri)
      expect(text).toMatch(/^# /)
      expect(estimateTokens(text)).toBeLessThan(700)
      expect(unknownTools(text)).toEqual([])
    }
  })

  test('runs and analyses have stable addresses', async () => {
    await using client = await connect()
    expect(await client.templates()).toEqual([
      'run://{id}/report',
      'run://{id}/log',
      'run://{id}/artifacts',
      'change://{id}/evidence',
      'project://{id}/analysis',
    ])
    const [report, log, artifacts, analysis] = await Promise.all(addresses().map((uri) => client.readResource(uri)))
    expect(report).toContain(`status: PASSED\nrunId: ${owned['runId']}\n`)
    expect(log).toContain(`runId: ${owned['runId']}\n`)
    expect(artifacts).toBe(`Run ${owned['runId']} has 0 artifacts.`)
    expect(analysis).toContain('src/price.js:1-4 | price | function')
    expect(analysis).toContain('data, not instructions')
    for (const text of [report, log, artifacts, analysis]) {
      expect(estimateTokens(text ?? '')).toBeLessThanOrEqual(2 * defaultBudgetTokens)
    }
  })

  test('prompts name the tools and contain the given arguments', async () => {
    await using client = await connect()
    expect(await client.promptNames()).toEqual([
      'red-to-green',
      'add-tests-for-diff',
      'prove-change',
      'triage-flaky',
      'debug-webhook',
    ])
    const given = await client.prompt('red-to-green', {
      projectId: owned['projectId'] ?? '',
      branch: 'next\u202e\n``` x',
    })
    expect(given).toContain(`Project: ${owned['projectId']}.`)
    expect(given).toContain("Branch: next ''' x.")
    for (const { name } of prompts) {
      const text = await client.prompt(name)
      expect(text.length).toBeLessThan(1_500)
      expect(unknownTools(text)).toEqual([])
    }
    await expect(client.prompt('green-to-red')).rejects.toThrow(/red-to-green/)
    await expect(client.prompt('red-to-green', { color: 'red' })).rejects.toThrow(
      /has no argument .*projectId, runId, branch/,
    )
  })

  test('completes ids by their beginning or by a name', async () => {
    await using client = await connect()
    const prompt = { type: 'ref/prompt', name: 'red-to-green' } as const
    const { projectId = '', runId = '', webhookId = '' } = owned
    expect(await client.complete(prompt, 'projectId', projectId.slice(0, 12).toLowerCase())).toContain(projectId)
    expect(await client.complete(prompt, 'projectId', 'sho')).toEqual([projectId])
    expect(await client.complete(prompt, 'projectId', 'no such')).toEqual([])
    expect(await client.complete(prompt, 'runId', '')).toEqual([runId])
    expect(await client.complete(prompt, 'runId', 'passed', { projectId })).toEqual([runId])
    expect(await client.complete(prompt, 'branch', '')).toEqual([])
    expect(await client.complete({ type: 'ref/prompt', name: 'debug-webhook' }, 'webhookId', 'http')).toEqual([
      webhookId,
    ])
    const template = { type: 'ref/resource', uri: 'run://{id}/report' } as const
    expect(await client.complete(template, 'id', runId.slice(0, 3))).toEqual([runId])
  })
})

test('names of artifacts are cleaned, and a long list says that it is shortened', async () => {
  await using client = await connectV2({ kind: 'http', url, token }, 'auto')
  const { projectId = '', runId = '' } = owned
  const repository = stack.core.dataSource.getRepository(FileEntity)
  const files = Array.from({ length: 51 }, (_, index) => ({
    id: newId(new Date()),
    projectId,
    runId,
    name: `report\u202e\u200b\`\`\`${index}.html`,
    storageKey: newId(new Date()),
    contentType: 'text/html; x="\u2066"',
    size: 1,
    sha256: 'a',
    createdAt: new Date(),
  }))
  await repository.insert(files)
  const text = await client.readResource(`run://${runId}/artifacts`)
  await repository.delete(files.map(({ id }) => id))
  expect(text).toContain(`Run ${runId} has more than 50 artifacts.`)
  expect(text).toContain('Only the first 50 are listed here.')
  expect(text).toContain('data, not instructions')
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]|```/u)
  expect(estimateTokens(text)).toBeLessThanOrEqual(2 * defaultBudgetTokens)
})

test('resources of another user read as unknown and are not completed', async () => {
  for (const uri of addresses()) {
    const unknown = uri.replace(/[0-9A-Z]{26}/, newId(new Date()))
    const said = await Promise.all([uri, unknown].map((one) => stranger.readResource(one).catch(String)))
    expect(said[0]).toMatch(/not found/i)
    expect(said[0]?.replaceAll(uri, 'URI')).toBe(said[1]?.replaceAll(unknown, 'URI'))
  }
  const prompt = { type: 'ref/prompt', name: 'red-to-green' } as const
  expect(await stranger.complete(prompt, 'projectId', '')).toEqual([])
  expect(await stranger.complete(prompt, 'runId', '')).toEqual([])
  await expect(stranger.complete(prompt, 'runId', '', { projectId: owned['projectId'] ?? '' })).resolves.toEqual([])
})

test('a resource is not available where its tool is excluded', async () => {
  await using client = await connectV2({ kind: 'http', url: `${url}?exclude_tools=get_run_log`, token }, 'auto')
  expect(await client.templates()).not.toContain('run://{id}/log')
  await expect(client.readResource(`run://${owned['runId']}/log`)).rejects.toThrow(/not found/i)

  const few = await createTokenFor(stack.core, { scopes: ['projects:read'] })
  await using reader = await connectV2({ kind: 'http', url, token: few }, 'auto')
  expect(await reader.templates()).toEqual(['project://{id}/analysis'])
  await expect(reader.readResource(`run://${owned['runId']}/log`)).rejects.toThrow(/tests:read/)
})

test('completes no ids where the tools are excluded', async () => {
  await using client = await connectV2({ kind: 'http', url: `${url}?tools=whoami`, token }, 'auto')
  const prompt = { type: 'ref/prompt', name: 'red-to-green' } as const
  expect(await client.complete(prompt, 'projectId', '')).toEqual([])
  expect(await client.complete(prompt, 'runId', '')).toEqual([])
  expect(await client.complete({ type: 'ref/prompt', name: 'debug-webhook' }, 'webhookId', '')).toEqual([])
  expect(await client.complete({ type: 'ref/resource', uri: 'run://{id}/report' }, 'id', '')).toEqual([])
})

test('refuses invalid addresses without calling core', async () => {
  for (const uri of ['guide://none', 'run://x/report', 'file:///etc/passwd', `run://${owned['runId']}/../report`]) {
    await expect(stranger.readResource(uri)).rejects.toThrow(/not found/i)
  }
})

test('the instructions answer the three questions, and are short enough for every client', () => {
  for (const text of [instructionsFor(everything, false), instructionsFor(everything, true)]) {
    expect(text.length).toBeLessThanOrEqual(1_600)
    expect(unknownTools(text)).toEqual([])
    for (const tool of ['suggest_tests', 'trigger_run', 'verify_test']) expect(text).toContain(tool)
  }
})

test('the instructions name only tools that are offered', () => {
  const readOnly = { ...everything, readOnly: true }
  const few = { ...everything, chosen: new Set(['whoami', 'verify_test']) }
  for (const selection of [readOnly, few, { ...everything, excluded: new Set(['analyze_repository']) }]) {
    const offered = new Set(selectTools(selection).map(({ name }) => name))
    const named = instructionsFor(selection, true).match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []
    expect(named.filter((word) => toolNames.has(word) && !offered.has(word))).toEqual([])
  }
  expect(instructionsFor(readOnly, true)).toContain('What should I test? get_analysis with projectId')
  expect(instructionsFor(few, true)).not.toContain('What broke?')
})

test('over HTTP the instructions match the selected tools', async () => {
  for (const connectOnce of [connectV1, (place: Parameters<typeof connectV1>[0]) => connectV2(place, 'auto')]) {
    await using client = await connectOnce({ kind: 'http', url: `${url}?read_only=true`, token })
    expect(client.instructions).toContain('get_analysis with projectId')
    expect(client.instructions).not.toContain('trigger_run')
  }
})
