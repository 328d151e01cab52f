import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { SuggestTestsResponse } from './schema.ts'
import { anAnalysis } from './testing/analysis.ts'

const main = new URL('./main.ts', import.meta.url).pathname

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const environmentOf = (settings: Record<string, string>) => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  AI_PORT: '0',
  ...settings,
})

/** Runs the program until it exits. */
async function run(settings: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env: environmentOf(settings) })
  children.push(child)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number | null, stdout, stderr }
}

/** Starts the program like the launcher, with an IPC channel. */
async function start(settings: Record<string, string> = {}) {
  const child = fork(main, [], { env: environmentOf(settings), silent: true, execArgv: [] })
  children.push(child)
  const [message] = (await once(child, 'message')) as [{ ready: boolean; port: number }]
  return { child, message, origin: `http://127.0.0.1:${message.port}` }
}

test('tells its parent process its address, serves requests, and stops on SIGTERM', async () => {
  const { child, message, origin } = await start()
  expect(message).toEqual({ ready: true, port: expect.any(Number) })
  expect(await (await fetch(`${origin}/provider`)).json()).toEqual({ provider: 'mock' })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('exits when its parent exits', async () => {
  const { child } = await start()
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('starts without a parent, and exits on SIGINT', async () => {
  const child = spawn(process.execPath, [main], { env: environmentOf({ LOG_LEVEL: 'info' }) })
  children.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const entry: unknown = JSON.parse(line.toString())
  expect(entry).toMatchObject({ service: 'ai-service', host: '127.0.0.1', provider: 'mock' })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('two processes answer the same request with the same bytes', async () => {
  const services = await Promise.all([start(), start()])
  const answers = await Promise.all(
    services.map(async ({ origin }) => {
      const body = JSON.stringify({ analysis: anAnalysis() })
      const headers = { 'Content-Type': 'application/json' }
      return await (await fetch(`${origin}/suggest-tests`, { method: 'POST', headers, body })).text()
    }),
  )
  expect(SuggestTestsResponse.parse(JSON.parse(answers[0] ?? '')).suggestion_count).toBe(2)
  expect(answers[0]).toBe(answers[1])
})

test('a port in use gives one clear line and exit code 1', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const address = holder.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { code, stderr } = await run({ AI_PORT: String(port) })
  holder.close()
  expect(code).toBe(1)
  expect(stderr).toBe(
    `ai-service: port ${port} on 127.0.0.1 is already in use. Stop the other process, or set AI_PORT\n`,
  )
})

test('invalid settings give one line with all problems and exit code 1', async () => {
  const { code, stdout, stderr } = await run({ AI_PORT: 'http', AI_PROVIDER: 'claude' })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(
    'ai-service: wrong settings: AI_PORT must be a port number; ' +
      'AI_PROVIDER must be one of provider_a, provider_b, mock\n',
  )
})

test('a chosen provider without a key is refused instead of replaced', async () => {
  const { code, stderr } = await run({ AI_PROVIDER: 'provider_b' })
  expect(code).toBe(1)
  expect(stderr).toBe('ai-service: wrong settings: AI_PROVIDER is provider_b, but PROVIDER_B_API_KEY is not set\n')
})

test('listens on loopback only', async () => {
  const { child, message } = await start()
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((address) => !address.internal && address.family === 'IPv4')
  // On a machine without a network, 127.0.0.2 serves as another address than 127.0.0.1.
  for (const address of ['127.0.0.2', ...outside.map((entry) => entry.address)]) {
    await expect(fetch(`http://${address}:${message.port}/health`)).rejects.toThrow('fetch failed')
  }
  child.kill('SIGTERM')
  await once(child, 'exit')
})
