import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { childEnvironment, connectV1, mcpMain } from './testing/clients.ts'

/** Nothing listens there. */
const noCore = 'http://127.0.0.1:1'
const goodForm = `svc_v1_${'a'.repeat(32)}_abcd`

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

function start(args: string[] = [], env: Record<string, string> = {}, main = mcpMain) {
  const child = spawn(process.execPath, [main, ...args], { env: childEnvironment(env) })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => void (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (output.stderr += chunk.toString()))
  const closed = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output, closed }
}

test('stdout carries only the protocol, and the end of stdin ends the process', async () => {
  const { child, output, closed } = start([], { SVC_BASE_URL: noCore, LOG_LEVEL: 'trace' })
  for (const message of [
    initialize,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
  ]) {
    child.stdin.write(`${JSON.stringify(message)}\n`)
  }
  while (output.stdout.split('\n').length < 3) await once(child.stdout, 'data')
  child.stdin.end()
  expect(await closed).toBe(0)
  const messages = output.stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(messages).toMatchObject([
    { id: 1, jsonrpc: '2.0' },
    { id: 2, jsonrpc: '2.0' },
  ])
  expect(output.stderr).toContain('"tool":"whoami"')
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process', async (signal) => {
  const { child, output, closed } = start()
  child.stdin.write(`${JSON.stringify(initialize)}\n`)
  while (!output.stdout.includes('\n')) await once(child.stdout, 'data')
  child.kill(signal)
  expect(await closed).toBe(0)
})

test('the quick start does what main.ts does', async () => {
  const { child, output } = start([], {}, resolve(import.meta.dirname, 'start.mjs'))
  child.stdin.write(`${JSON.stringify(initialize)}\n`)
  while (!output.stdout.includes('\n')) await once(child.stdout, 'data')
  expect(JSON.parse(output.stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'assay' } } })
})

test('names the required version of Node and its path when started with an older one', async () => {
  const older = 'Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})'
  const args = ['--import', `data:text/javascript,${older}`, resolve(import.meta.dirname, 'start.mjs')]
  const child = spawn(process.execPath, args, { env: childEnvironment() })
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await closed
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
  expect(stderr).toMatch(/^The MCP server needs Node 24 or later; this is 20\.20\.2\. .*node_modules.*\n$/)
})

test('refuses a message that is too long, and answers the next one', async () => {
  const { child, output } = start([], { SVC_BASE_URL: noCore })
  const name = 'x'.repeat(11 * 1_048_576)
  child.stdin.write(`${JSON.stringify(initialize)}\n`)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name } })}\n`)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' })}\n`)
  while (output.stdout.split('\n').length < 4) await once(child.stdout, 'data')
  const answers = output.stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(answers).toHaveLength(3)
  expect(answers).toContainEqual({
    jsonrpc: '2.0',
    id: 2,
    error: { code: -32_600, message: 'The message was not read: it is over 10 MiB.' },
  })
  expect(answers).toContainEqual(expect.objectContaining({ id: 3, result: expect.anything() }))
})

test('answers an invalid line with an error, and serves the next one', async () => {
  const { child, output } = start([], { SVC_BASE_URL: noCore })
  child.stdin.write(`${JSON.stringify(initialize)}\n{"jsonrpc":\n\n`)
  child.stdin.write(`${JSON.stringify([{ jsonrpc: '2.0', id: 2, method: 'ping' }])}\n"ping"\n`)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping' })}\n`)
  while (output.stdout.split('\n').length < 6) await once(child.stdout, 'data')
  const answers = output.stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: expect.any(String) } })
  expect(answers.filter((answer) => JSON.stringify(answer).includes('-32600'))).toHaveLength(2)
  expect(answers).toContainEqual(expect.objectContaining({ id: 3, result: {} }))
  expect(answers).toHaveLength(5)
})

test('reports an unknown option and all wrong settings at once on stderr, and does not start', async () => {
  const { output, closed } = start(['--read-only-true'], { MCP_PORT: 'many', SVC_BASE_URL: 'localhost' })
  expect(await closed).toBe(2)
  expect(output.stdout).toBe('')
  expect(output.stderr).toContain('Unknown option: --read-only-true. Known: --http, --help, --version, --toolsets,')
  expect(output.stderr).toContain('MCP_PORT must be a port number')
  expect(output.stderr).toContain('SVC_BASE_URL must be an http or https address')
})

test('prints help', async () => {
  const { output, closed } = start(['--help'])
  expect(await closed).toBe(0)
  expect(output.stdout).toContain('--http')
})

test('says how to start core where it does not answer', async () => {
  await using client = await connectV1({ kind: 'stdio', env: { SVC_BASE_URL: noCore, SVC_API_TOKEN: goodForm } })
  expect(await client.call('list_projects')).toEqual({
    isError: true,
    facts: {},
    text:
      `list_projects failed. Assay does not answer at ${noCore}. ` +
      'Start it with `npm start`, or use another server: set SVC_BASE_URL, or run `assay login --url URL`.',
  })
})

test('distinguishes another server at the address from core', async () => {
  const other = createServer((_request, response) => void response.end('<h1>Welcome to nginx</h1>'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await using client = await connectV1({ kind: 'stdio', env: { SVC_BASE_URL: url, SVC_API_TOKEN: goodForm } })
  const answer = await client.call('whoami')
  expect(answer.isError).toBe(true)
  expect(answer.text).toBe(
    `whoami failed. The server at ${url} is not Assay. ` +
      'Start it with `npm start`, or use another server: set SVC_BASE_URL, or run `assay login --url URL`.',
  )
})

test('reports answers of an unknown shape for tools, resources and completions', async () => {
  const other = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ result: { data: { projects: 5, runs: 'x', id: 7 } } }))
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await using client = await connectV1({ kind: 'stdio', env: { SVC_BASE_URL: url, SVC_API_TOKEN: goodForm } })
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const said = await Promise.all([
    client.call('whoami').then(({ text }) => text),
    client.call('list_projects').then(({ text }) => text),
    client.call('get_run', { runId: id }).then(({ text }) => text),
    client.complete({ type: 'ref/prompt', name: 'red-to-green' }, 'projectId', '').catch(String),
    client.complete({ type: 'ref/prompt', name: 'red-to-green' }, 'runId', '').catch(String),
    client.readResource(`run://${id}/report`).catch(String),
    client.readResource(`run://${id}/artifacts`).catch(String),
  ])
  for (const text of said) {
    expect(text).toContain(`The server at ${url} is not Assay`)
    expect(text).not.toMatch(/is not a function|undefined|expected/)
  }
})

test('reads the token file for each call when no token is set', async () => {
  const seen: (string | undefined)[] = []
  const recorder = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.statusCode = 500
    response.end('{}')
  })
  recorder.listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-mcp-'))
  onTestFinished(async () => {
    recorder.close()
    await rm(dataDir, { recursive: true })
  })
  const env = { SVC_BASE_URL: `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`, DATA_DIR: dataDir }
  await using client = await connectV1({ kind: 'stdio', env })
  await client.call('whoami')
  await writeFile(join(dataDir, 'token'), `${goodForm}\n`)
  await client.call('whoami')
  expect(seen).toEqual([undefined, `Bearer ${goodForm}`])
})
