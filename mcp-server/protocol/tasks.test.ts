import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../core/base/ids.ts'
import { createChangeFor } from '../../core/changes/testing.ts'
import { createMeasurementFor } from '../../core/strength/testing.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { changeEvidence } from '../../client/testing/change-evidence.ts'
import { createRepository, shopFiles, type TestRepository } from '../../client/testing/repository.ts'
import { readMcpConfig } from '../config.ts'
import { startHttp } from '../http.ts'
import { createLog } from '../log.ts'
import { type Stack, startStack } from '../testing/stack.ts'
import { tasksExtension } from './tasks.ts'

let stack: Stack
let shop: TestRepository
let user: UserRow
let token: string
let projectId: string

beforeAll(async () => {
  ;[stack, shop] = await Promise.all([startStack(), createRepository(shopFiles)])
  user = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user })
  projectId = (await createProjectFor(stack.core, { user, repository: shop.path })).id
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

interface Answer {
  result?: Record<string, unknown> & { taskId?: string; status?: string; result?: Record<string, unknown> }
  error?: { code: number; message: string; data?: unknown }
}

interface Asked {
  token?: string
  url?: string
  /** Whether the client declares the tasks extension. */
  tasks?: boolean
}

/** Sends a request of the newest era, because no client of the SDKs supports tasks yet. */
async function ask(method: string, params: Record<string, unknown>, asked: Asked = {}): Promise<Answer> {
  const capabilities = (asked.tasks ?? true) ? { extensions: { [tasksExtension]: {} } } : {}
  const response = await fetch(asked.url ?? stack.mcpUrl, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${asked.token ?? token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params['taskId'] ?? params['name']),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    }),
  })
  return (await response.json()) as Answer
}

const call = (name: string, given: Record<string, unknown>, asked?: Asked) =>
  ask('tools/call', { name, arguments: given }, asked)

/** Polls the task until it has ended. */
async function ended(taskId: string, asked?: Asked): Promise<NonNullable<Answer['result']>> {
  let task: Answer['result']
  await expect
    .poll(async () => {
      task = (await ask('tasks/get', { taskId }, asked)).result
      return task?.status
    })
    .not.toBe('working')
  return task ?? {}
}

test('a client with task support gets a task instead of a wait, and the same answer in the end', async () => {
  const created = await call('analyze_repository', { projectId })
  expect(created.result).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^analysis_[0-9A-Z]{26}$/),
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-/),
    ttlMs: null,
    pollIntervalMs: expect.any(Number),
  })
  for (const key of ['content', 'result', 'structuredContent']) expect(created.result).not.toHaveProperty(key)
  const taskId = created.result?.taskId ?? ''
  const task = await ended(taskId)
  expect(task.status).toBe('completed')
  const answer = await call('analyze_repository', { analysisId: taskId.replace('analysis_', '') }, { tasks: false })
  expect(task.result).toMatchObject({
    content: answer.result?.['content'],
    structuredContent: answer.result?.['structuredContent'],
  })
  expect(task.result?.['structuredContent']).toMatchObject({ status: 'completed', projectId })
})

test('a task survives a restart of the server', async () => {
  const { result } = await call('analyze_repository', { projectId })
  const { config } = readMcpConfig({ SVC_BASE_URL: stack.core.url, MCP_PORT: '0' })
  if (!config) throw new Error('the settings of the test are wrong')
  await using other = await startHttp(config, createLog('silent', 'stderr'))
  const task = await ended(result?.taskId ?? '', { url: `http://127.0.0.1:${other.port}/mcp` })
  expect(task.status).toBe('completed')
})

test('a failed analysis is a completed task with the message of the tool', async () => {
  const { result } = await call('analyze_repository', { projectId, branch: 'no-such-branch' })
  const task = await ended(result?.taskId ?? '')
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
  expect(JSON.stringify(task.result)).toContain('no-such-branch')
})

test('an answer that needs no wait comes without a task, and clients without task support wait', async () => {
  expect((await call('whoami', {})).result).toMatchObject({ resultType: 'complete' })
  expect((await call('analyze_repository', { projectId: 'none' })).result).toMatchObject({ isError: true })
  const run = await createRunFor(stack.core, { projectId, userId: user.id, status: 'COMPLETED' })
  expect((await call('wait_for_run', { runId: run.id })).result).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'PASSED' },
  })
  const waited = await call('analyze_repository', { projectId }, { tasks: false })
  expect(waited.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed' } })
})

test('runs, verifications, changes and measurements can be cancelled as tasks, also repeatedly', async () => {
  const running = await createRunFor(stack.core, { projectId, userId: user.id, status: 'RUNNING' })
  const waiting = await call('wait_for_run', { runId: running.id })
  expect(waiting.result).toMatchObject({ resultType: 'task', taskId: `run_${running.id}` })
  const verifying = await call('verify_test', { projectId, filePath: 'a.test.ts', code: 'test("a", () => {})' })
  const { id: changeId } = await createChangeFor(stack.core, { projectId, status: 'running' })
  const changing = await call('verify_change', { changeId })
  expect(changing.result).toMatchObject({ resultType: 'task', taskId: `change_${changeId}`, status: 'working' })
  const { id: measurementId } = await createMeasurementFor(stack.core, { projectId, status: 'running' })
  const measuring = await call('find_weak_tests', { measurementId })
  expect(measuring.result).toMatchObject({ resultType: 'task', taskId: `measurement_${measurementId}` })
  const tasks = [waiting, verifying, changing, measuring].map(({ result }) => result?.taskId ?? '')
  expect(tasks[1]).toMatch(/^verification_/)
  for (const taskId of [...tasks, ...tasks]) {
    const answer = await ask('tasks/cancel', { taskId })
    expect(answer.result).toMatchObject({ resultType: 'complete' })
    expect(answer.result).not.toHaveProperty('status')
  }
  for (const taskId of tasks) expect((await ended(taskId)).status).toBe('cancelled')
})

test('the task of a change ends with its verdict', async () => {
  const evidence = changeEvidence({ summary: 'One test fails without the change.' })
  const end = { status: 'completed', verdict: 'proved', evidence, completedAt: new Date() } as const
  const { id } = await createChangeFor(stack.core, { projectId, ...end })
  expect(await ended(`change_${id}`)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { changeId: id, verdict: 'proved', summary: evidence.summary } },
  })
})

test('reading, updating or cancelling a task of another user fails as for an unknown one', async () => {
  const run = await createRunFor(stack.core, { projectId, userId: user.id, status: 'RUNNING' })
  const stranger = await createTokenFor(stack.core)
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const said = await Promise.all(
      [`run_${run.id}`, `run_${newId(new Date())}`].map(async (taskId) => {
        const { error } = await ask(method, { taskId, inputResponses: {} }, { token: stranger })
        return { ...error, message: error?.message.replace(taskId, 'ID') }
      }),
    )
    expect(said[0]).toEqual({ code: -32_602, message: 'No such task: ID.' })
    expect(said[1]).toEqual(said[0])
  }
  for (const taskId of ['nothing', `project_${projectId}`, 'run_../x', 'x'.repeat(10_000)]) {
    expect((await ask('tasks/get', { taskId })).error?.code).toBe(-32_602)
  }
  expect((await ask('tasks/get', { taskId: `run_${run.id}` })).result?.status).toBe('working')
})

test('tasks require the declared extension, and cancelling requires write access', async () => {
  const run = await createRunFor(stack.core, { projectId, userId: user.id, status: 'RUNNING' })
  const taskId = `run_${run.id}`
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await ask(method, { taskId, inputResponses: {} }, { tasks: false })
    expect(error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    })
  }
  const reading = await ask('tasks/cancel', { taskId }, { url: `${stack.mcpUrl}?read_only=true` })
  expect(reading.error?.message).toContain('cancel_run is not available here')
  const without = await ask('tasks/get', { taskId }, { url: `${stack.mcpUrl}?toolsets=webhooks` })
  expect(without.error?.message).toBe(`No such task: ${taskId}.`)
  const few = await createTokenFor(stack.core, { user, scopes: ['tests:read'] })
  expect((await ask('tasks/cancel', { taskId }, { token: few })).error?.message).toContain('tests:run')
  expect((await ask('tasks/get', { taskId }, { token: few })).result?.status).toBe('working')
})
