import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { createDeliveryFor, createWebhookFor } from '../core/webhooks/testing.ts'
import { connectV2, type TestClient } from './testing/clients.ts'
import { type Stack, startStack } from './testing/stack.ts'
import { tools } from './tools/index.ts'

let stack: Stack
let pinned: TestClient
let mine: string
/** Ids from another project of the same user, by argument. */
let others: Record<string, string>

beforeAll(async () => {
  stack = await startStack()
  const user = await createUser(stack.core)
  const token = await createTokenFor(stack.core, { user })
  const [{ id }, { id: projectId }] = [
    await createProjectFor(stack.core, { user, name: 'Mine' }),
    await createProjectFor(stack.core, { user, name: 'Other' }),
  ]
  mine = id
  const { id: runId } = await createRunFor(stack.core, { projectId })
  const { id: webhookId } = await createWebhookFor(stack.core, { userId: user.id, projectId })
  const { id: deliveryId } = await createDeliveryFor(stack.core, { webhookId })
  const { id: analysisId } = await stack.core.client(token).analysis.startAnalysis.mutate({ projectId })
  others = { projectId, runId, webhookId, deliveryId, analysisId }
  const env = { SVC_BASE_URL: stack.core.url, SVC_API_TOKEN: token, MCP_PROJECT: mine, MCP_TOOLSETS: 'all' }
  pinned = await connectV2({ kind: 'stdio', env }, 'auto')
})
afterAll(async () => {
  await pinned[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

/** Other arguments that a call requires before it looks up the id. */
const besides: Record<string, Record<string, unknown>> = {
  create_webhook: { url: 'https://ci.example.com/hook', events: ['test_run.failed'] },
  generate_tests: { targetPath: 'src/price.ts' },
  request_quarantine: { testId: '00000000-0000-4000-8000-000000000000', reason: 'It fails at random.' },
  retry_webhook_delivery: { since: '2026-11-01T00:00:00Z' },
  test_webhook: { waitSeconds: 0 },
  update_project: { name: 'Taken' },
  update_webhook: { active: false },
  verify_test: { filePath: 'a.test.ts', code: "test('a', () => {})" },
}

const cases = tools.flatMap(({ name, inputSchema }) =>
  ['projectId', 'runId', 'webhookId', 'deliveryId', 'analysisId']
    .filter((id) => id in inputSchema.shape)
    .map((id) => [name, id] as const),
)

test.each(cases)('%s does not find the %s of another project', async (tool, id) => {
  const more = tool === 'retry_webhook_delivery' && id === 'deliveryId' ? {} : besides[tool]
  const { isError, text } = await pinned.call(tool, { ...more, [id]: others[id] })
  expect(isError).toBe(true)
  expect(text).toContain('No such')
})

test('a pinned server shows only the pinned project', async () => {
  const listed = await pinned.call('list_projects')
  expect(listed.facts).toMatchObject({ total: 1, projects: [{ id: mine, name: 'Mine' }] })
  expect((await pinned.call('get_project', { repository: 'Other' })).isError).toBe(true)
  expect((await pinned.call('list_webhooks', {})).facts).toMatchObject({ total: 0 })
})

test('an HTTP caller can pin a project by header or query', async () => {
  const token = await createTokenFor(stack.core)
  const url = `${stack.mcpUrl}?project=${mine}`
  await using client = await connectV2({ kind: 'http', url, token }, 'auto')
  const refused = await client.call('list_projects')
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`confined to the project ${mine}`) })
  expect(refused.text).toContain('does not exist or is not yours')
})

test('a pinned server needs no projectId, and hides tools beyond the project', async () => {
  for (const tool of ['list_runs', 'list_webhooks', 'get_project', 'update_project_settings']) {
    expect(await pinned.call(tool, {})).toMatchObject({ isError: false })
  }
  expect((await pinned.call('get_project', {})).facts).toMatchObject({ id: mine })
  expect((await pinned.call('get_run_failures', {})).text).toContain('No run of this project')
  const names = await pinned.toolNames()
  for (const tool of ['create_project', 'list_repositories', 'list_organizations', 'list_sessions']) {
    expect(names).not.toContain(tool)
  }
  expect(names).toEqual(expect.arrayContaining(['get_profile', 'delete_project', 'trigger_run']))
  await expect(pinned.call('create_project', {})).rejects.toThrow(`this server is confined to the project ${mine}`)
  expect((await pinned.call('whoami')).text).toContain(`confinedTo: ${mine}`)
})
