import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createCoreClient } from '../client/core-client.ts'
import { followRun } from './follow-run.ts'
import { assay, ended, spawnAssay, startAssay } from './testing/assay.ts'
import { startProxy } from './testing/proxy.ts'
import { allLines, createRunScene, linesIn, runIn, type RunScene, waitingLines } from './testing/run-scene.ts'

// Runs take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let scene: RunScene
beforeAll(async () => void (scene = await createRunScene()))
afterAll(() => scene[Symbol.asyncDispose]())

/** What a process has printed so far, and a wait for more. */
function collect({ stdout, stderr }: ChildProcess) {
  const seen = { stdout: '', stderr: '' }
  stdout?.on('data', (chunk: Buffer) => (seen.stdout += chunk.toString()))
  stderr?.on('data', (chunk: Buffer) => (seen.stderr += chunk.toString()))
  const until = async (isSeen: () => boolean) => {
    while (!isSeen()) if (stdout) await once(stdout, 'data')
  }
  return { seen, until }
}

const sameLines = (text: string, lines: readonly string[]) => linesIn(text).join() === lines.join()

test('Ctrl-C lets the run continue and says how to follow and cancel it', async () => {
  const { id } = await scene.waitingProject()
  const child = spawnAssay(['run', id], { env: scene.env })
  const { seen, until } = collect(child)
  await until(() => seen.stdout.includes('waiting, line 3'))
  const runId = runIn(seen.stdout)
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect((await ended(child)).exitCode).toBe(130)
  expect(seen.stderr).toContain(`assay log ${runId} --follow`)
  expect(seen.stderr).toContain(`assay cancel ${runId}`)

  const status = await assay(['status', runId, '--json'], { env: scene.env })
  expect(JSON.parse(status.stdout)).toMatchObject({ reportedStatus: 'RUNNING' })
  const cancelled = await assay(['cancel', runId], { env: scene.env })
  expect(cancelled).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('CANCELLED') })
})

test('Ctrl-C cancels the run with --cancel-on-interrupt', async () => {
  const { id } = await scene.waitingProject()
  const command = startAssay(['run', id, '--cancel-on-interrupt', '--quiet'], { env: scene.env })
  await command.until(({ stdout }) => runIn(stdout) !== '')
  command.interrupt()
  expect((await command.ended).exitCode).toBe(130)
  expect(command.stderr).toContain('The run was cancelled.')
  const status = await assay(['status', runIn(command.stdout), '--json'], { env: scene.env })
  expect(JSON.parse(status.stdout)).toMatchObject({ reportedStatus: 'CANCELLED' })
})

test('reconnects a lost connection, and prints no line twice and misses none', async () => {
  const { id, release } = await scene.waitingProject()
  await using proxy = await startProxy(scene.core.url)
  const command = startAssay(['run', id], { env: { ...scene.env, SVC_BASE_URL: proxy.url } })
  await command.until(({ stdout }) => sameLines(stdout, waitingLines))
  proxy.cut()
  await proxy.untilAsked((asked) => asked.filter((path) => path.includes('/events')).length === 2)
  await release()
  expect((await command.ended).exitCode).toBe(0)
  expect(linesIn(command.stdout)).toEqual(allLines)
})

test('polls the log where a proxy blocks events', async () => {
  const { id, release } = await scene.waitingProject()
  await using proxy = await startProxy(scene.core.url, (path) => path.includes('/events'))
  const command = startAssay(['run', id], { env: { ...scene.env, SVC_BASE_URL: proxy.url } })
  await command.until(({ stdout }) => sameLines(stdout, waitingLines))
  proxy.cut()
  await release()
  expect((await command.ended).exitCode).toBe(0)
  expect(linesIn(command.stdout)).toEqual(allLines)
})

test('ends quietly when the reader closes the pipe during the log', async () => {
  const { id, release } = await scene.waitingProject()
  const child = spawnAssay(['run', id], { env: scene.env })
  const { seen, until } = collect(child)
  await until(() => sameLines(seen.stdout, waitingLines))
  child.stdout?.destroy()
  await release()
  await once(child, 'exit')
  expect({ exitCode: child.exitCode, stderr: seen.stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('prints a repeated line once, and stops reading a stream with an invalid event', async () => {
  let streams = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.includes('/events')) {
      streams += 1
      response.setHeader('content-type', 'text/event-stream')
      const line = `event: log\ndata: ${JSON.stringify({ line: 0, text: 'first' })}\n\n`
      response.end(`${line}${line}event: log\ndata: {"line":"x"}\n\n`)
      return
    }
    const page = { offset: 0, lines: ['first', 'second'], totalLines: 100, live: false }
    const data = path.includes('.log') ? page : { reportedStatus: 'PASSED' }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ result: { data } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const credentials = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'svc_v1_x' }
  const core = createCoreClient({ ...credentials, requestId: 'test' })
  const { signal } = new AbortController()
  const told: string[] = []
  for await (const event of followRun(core, { runId: 'x', from: 0, credentials, signal, onLost: () => {} })) {
    told.push(event.event === 'log' ? event.data.text : event.event)
    if (told.length > 10) break
  }
  expect([told, streams]).toEqual([['first', 'second', 'end'], 1])
})
