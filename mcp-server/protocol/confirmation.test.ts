import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProjectFor, createTokenFor, createUser } from '../../core/testing/factories.ts'
import { createWebhookFor } from '../../core/webhooks/testing.ts'
import { connectV1, connectV2, type TestUser, type Place, type TestClient } from '../testing/clients.ts'
import { type Stack, startStack } from '../testing/stack.ts'

let stack: Stack
let user: Awaited<ReturnType<typeof createUser>>
let token: string

beforeAll(async () => {
  stack = await startStack()
  user = await createUser(stack.core)
  token = await createTokenFor(stack.core, { user })
})
afterAll(() => stack[Symbol.asyncDispose]())

async function createWebhook(description = 'CI listener') {
  const { id: projectId } = await createProjectFor(stack.core, { user })
  return createWebhookFor(stack.core, { userId: user.id, projectId, description })
}

const exists = async (webhookId: string) =>
  (await stack.core.dataSource.query('SELECT FROM webhooks WHERE id = $1 AND deleted_at IS NULL', [webhookId]))
    .length === 1

const secretOf = (webhookId: string) =>
  stack.core.dataSource.query('SELECT secret FROM webhooks WHERE id = $1', [webhookId])

type Connect = (place: Place, person?: TestUser) => Promise<TestClient>

const clients: [string, Connect][] = [
  ['the client of SDK v1', connectV1],
  ['the client of SDK v2 in the older era', (place, person) => connectV2(place, 'legacy', person)],
  ['the client of SDK v2 in the newest', (place, person) => connectV2(place, { pin: '2026-07-28' }, person)],
]

const placeOf = (kind: Place['kind']): Place =>
  kind === 'stdio'
    ? { kind, env: { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token } }
    : { kind, url: stack.mcpUrl, token }

describe.each(['stdio', 'http'] as const)('over %s', (kind) => {
  test.each(clients)('%s asks its user before a destructive call', async (_name, connect) => {
    const [refused, closed, unticked, agreed] = await Promise.all([
      createWebhook(),
      createWebhook(),
      createWebhook(),
      createWebhook(),
    ])
    const questions: string[] = []
    const answers: ReturnType<TestUser>[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { consent: false } },
      { action: 'accept', content: { consent: true } },
    ]
    await using client = await connect(placeOf(kind), (question) => {
      questions.push(question)
      return answers.shift() ?? { action: 'cancel' }
    })
    for (const { id: webhookId } of [refused, closed, unticked]) {
      const { isError, text } = await client.call('delete_webhook', { webhookId })
      expect(isError).toBe(true)
      expect(text).toBe('delete_webhook was not run: the user declined. Nothing was changed.')
      expect(await exists(webhookId)).toBe(true)
    }
    const deleted = await client.call('delete_webhook', { webhookId: agreed.id })
    expect(deleted).toMatchObject({ isError: false, facts: { webhookId: agreed.id, name: 'CI listener' } })
    expect(await exists(agreed.id)).toBe(false)
    expect(questions).toHaveLength(4)
    expect(questions[0]).toContain(`delete_webhook: This deletes the webhook CI listener (${refused.id})`)
    await client.endSession()
  })

  test.each(clients)('%s without elicitation has to repeat the name', async (_name, connect) => {
    const { id: webhookId } = await createWebhook('Say "hi"\u202e')
    await using client = await connect(placeOf(kind))
    const unconfirmed = await client.call('delete_webhook', { webhookId })
    expect(unconfirmed.isError).toBe(true)
    expect(unconfirmed.text).toContain('delete_webhook was not run, because it needs confirmation.')
    expect(unconfirmed.text).toContain(String.raw`call delete_webhook again with confirm "Say \"hi\"".`)
    const wrong = await client.call('delete_webhook', { webhookId, confirm: 'yes' })
    expect(wrong).toMatchObject({
      isError: true,
      text: expect.stringContaining('confirm is not the name of the object'),
    })
    expect(await exists(webhookId)).toBe(true)
    expect(await client.call('delete_webhook', { webhookId, confirm: 'Say "hi"' })).toMatchObject({ isError: false })
    expect(await exists(webhookId)).toBe(false)
    await client.endSession()
  })
})

test('a webhook without a description is confirmed by its address without the query', async () => {
  const { id: projectId } = await createProjectFor(stack.core, { user })
  const url = 'https://ci.example.com/hook?key=of-the-receiver'
  const { id: webhookId } = await createWebhookFor(stack.core, { userId: user.id, projectId, url })
  await using client = await connectV2(placeOf('http'), 'auto')
  const { text } = await client.call('delete_webhook', { webhookId })
  expect(text).toContain('again with confirm "https://ci.example.com/hook".')
  expect(text).not.toContain('of-the-receiver')
})

interface Round {
  args: Record<string, unknown>
  tool?: string
  as?: string
  answers?: Record<string, unknown>
  state?: string
  elicitation?: Record<string, unknown>
}

let requests = 0

/** Sends one request of the newest era, as a client with any behavior could. */
async function send({ args, tool = 'delete_webhook', as = token, answers, state, elicitation = {} }: Round) {
  requests += 1
  const response = await fetch(stack.mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: requests,
      method: 'tools/call',
      params: {
        name: tool,
        arguments: args,
        ...(answers ? { inputResponses: answers } : {}),
        ...(state === undefined ? {} : { requestState: state }),
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation },
        },
      },
    }),
  })
  const text = await response.text()
  const data = text.split('\n').find((line) => line.startsWith('data: {'))
  return JSON.parse(data?.slice('data: '.length) ?? text) as {
    result?: { resultType?: string; requestState?: string; isError?: boolean }
    error?: { code: number; message: string }
  }
}

const yes = { consent: { action: 'accept', content: { consent: true } } }

async function ask(args: Record<string, unknown>): Promise<string> {
  const { result } = await send({ args })
  expect(result).toMatchObject({ resultType: 'input_required' })
  return result?.requestState ?? ''
}

test('where the user can be asked, the name alone is not enough', async () => {
  const { id: webhookId } = await createWebhook('Say it')
  const { result } = await send({ args: { webhookId, confirm: 'Say it' } })
  expect(result).toMatchObject({ resultType: 'input_required' })
  expect(await exists(webhookId)).toBe(true)
})

test('a confirmed question deletes the object once', async () => {
  const { id: webhookId } = await createWebhook()
  const state = await ask({ webhookId })
  const { result } = await send({ args: { webhookId }, answers: yes, state })
  expect(result?.isError ?? false).toBe(false)
  expect(await exists(webhookId)).toBe(false)
  const again = await send({ args: { webhookId }, answers: yes, state })
  expect(again.result).toMatchObject({ isError: true })
})

test('consent is valid for one object, one tool and the same arguments only', async () => {
  const [asked, other] = await Promise.all([createWebhook(), createWebhook()])
  const state = await ask({ webhookId: asked.id })
  const elsewhere = await send({ args: { webhookId: other.id }, answers: yes, state })
  expect(elsewhere.result).toMatchObject({ resultType: 'input_required' })
  expect(await exists(other.id)).toBe(true)

  const rotating = { tool: 'rotate_webhook_secret', answers: yes }
  const otherTool = await send({ ...rotating, args: { webhookId: asked.id }, state })
  expect(otherTool.result).toMatchObject({ resultType: 'input_required' })
  const rotation = otherTool.result?.requestState ?? ''
  const otherHours = await send({ ...rotating, args: { webhookId: asked.id, overlapHours: 0 }, state: rotation })
  expect(otherHours.result).toMatchObject({ resultType: 'input_required' })
  expect((await send({ ...rotating, args: { webhookId: asked.id }, state: rotation })).result).toMatchObject({
    structuredContent: { secret: expect.stringMatching(/^whsec_/) },
  })
})

test.each([
  ['consent', { action: 'accept', content: { consent: true } }, undefined],
  ['a refusal', { action: 'decline' }, true],
])('%s counts once: the next call asks again', async (_what, first, isError) => {
  const { id: webhookId } = await createWebhook()
  const args = { webhookId }
  const rotate = { tool: 'rotate_webhook_secret', args }
  const state = (await send(rotate)).result?.requestState ?? ''
  const answered = await send({ ...rotate, answers: { consent: first }, state })
  expect(answered.result?.resultType).not.toBe('input_required')
  expect(answered.result?.isError).toBe(isError)
  const secret = await secretOf(webhookId)
  const again = await send({ ...rotate, answers: yes, state })
  expect(again.result).toMatchObject({ resultType: 'input_required' })
  expect(await secretOf(webhookId)).toEqual(secret)
})

test('an answer without a question is ignored', async () => {
  const { id: webhookId } = await createWebhook()
  const { result } = await send({ args: { webhookId }, answers: yes })
  expect(result).toMatchObject({ resultType: 'input_required' })
  expect(await exists(webhookId)).toBe(true)
})

test('refuses a request state that was changed or belongs to another caller', async () => {
  const { id: webhookId } = await createWebhook()
  const state = await ask({ webhookId })
  const [version, body = '', mac] = state.split('.')
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const longer = Buffer.from(JSON.stringify({ ...payload, exp: 4_000_000_000 })).toString('base64url')
  for (const changed of [`${version}.${longer}.${mac}`, `${state}x`, 'x', '']) {
    const { error } = await send({ args: { webhookId }, answers: yes, state: changed })
    expect(error).toMatchObject({ code: -32_602, message: 'Invalid or expired requestState' })
  }
  const another = await createTokenFor(stack.core, { user })
  const borrowed = await send({ args: { webhookId }, answers: yes, state, as: another })
  expect(borrowed.error).toMatchObject({ code: -32_602 })
  expect(await exists(webhookId)).toBe(true)
})

test('a client with URL elicitation only is not asked', async () => {
  const { id: webhookId } = await createWebhook()
  const { result } = await send({ args: { webhookId }, elicitation: { url: {} } })
  expect(JSON.stringify(result)).toContain('needs confirmation')
})
