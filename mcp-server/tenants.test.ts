import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../core/base/ids.ts'
import { createProjectFor, createTokenFor, createUser } from '../core/testing/factories.ts'
import { listTools } from './protocol/list-tools.ts'
import { connectV2, type TestClient } from './testing/clients.ts'
import { createEverything, type Everything } from './testing/everything.ts'
import { type Stack, startStack } from './testing/stack.ts'
import { tools } from './tools/index.ts'

let owned: Everything
let stack: Stack
let stranger: TestClient
let strangersProject: string

beforeAll(async () => {
  stack = await startStack()
  const { core } = stack
  const [owner, other] = await Promise.all([createUser(core), createUser(core)])
  owned = await createEverything(core, owner)
  strangersProject = (await createProjectFor(core, { user: other })).id
  const token = await createTokenFor(core, { user: other })
  stranger = await connectV2({ kind: 'http', url: `${stack.mcpUrl}?toolsets=all`, token }, 'auto')
})
afterAll(async () => {
  await stranger[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

/** Other arguments that tools require. */
const samples: Readonly<Record<string, unknown>> = {
  url: 'https://example.com/hook',
  events: ['test_run.completed'],
  name: 'A name',
  invitee: 'somebody@example.com',
  role: 'member',
  filePath: 'a.test.js',
  code: 'test',
  search: 'a test',
  testId: '00000000-0000-4000-8000-000000000000',
  reason: 'It fails at random.',
  since: '2026-01-01T00:00:00.000Z',
}

/** Arguments that are valid only together with the tested one. */
const beside: Readonly<Record<string, readonly string[]>> = {
  'create_webhook projectId': ['url', 'events'],
  'create_webhook organizationId': ['url', 'events'],
  'verify_test projectId': ['filePath', 'code'],
  'verify_test suggestionId': ['projectId', 'filePath', 'code'],
  'verify_test generatedTestId': ['projectId'],
  'generate_tests projectId': ['suggestionId'],
  'generate_tests suggestionId': ['projectId'],
  'update_organization organizationId': ['name'],
  'update_project projectId': ['name'],
  'update_webhook webhookId': ['url'],
  'retry_webhook_delivery webhookId': ['since'],
  'create_project organizationId': ['name', 'repository'],
}

/** Further ways to call a tool with the tested argument. */
const variants: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'delete_project projectId': [{ confirm: 'Shop' }],
  'delete_webhook webhookId': [{ confirm: 'https://example.com/hook' }],
  'delete_organization organizationId': [{ confirm: 'x' }],
  'rotate_webhook_secret webhookId': [{ confirm: 'x' }],
  'remove_member organizationId': [{ confirm: 'x' }],
  'revoke_session sessionId': [{ confirm: 'x' }],
  'update_webhook webhookId': [
    { url: undefined, paused: true },
    { url: undefined, description: 'Mine' },
  ],
  'update_project_settings projectId': [{ testCommand: 'id' }],
  'get_run_failures runId': [{ offset: 0 }],
  'generate_tests projectId': [{ suggestionId: undefined, targetPath: 'a.js' }],
}

const named = [
  'projectId',
  'analysisId',
  'suggestionId',
  'generatedTestId',
  'verificationId',
  'changeId',
  'measurementId',
  'webhookId',
  'testId',
]
const names = new Set([
  ...named,
  'deliveryId',
  'organizationId',
  'slug',
  'membershipId',
  'runId',
  'rerunFailedOf',
  'sessionId',
])
const cases = listTools(tools, false).flatMap(({ name, inputSchema }) =>
  Object.keys(inputSchema.properties ?? {})
    .filter((argument) => names.has(argument) && !(name.startsWith('create_organization') && argument === 'slug'))
    .map((argument) => ({ tool: name, argument, required: inputSchema.required ?? [] })),
)

test.each(cases)(
  '$tool answers the same for a foreign $argument as for an unknown one',
  async ({ tool, argument, required }) => {
    const argumentsWith = (value: string) => ({
      ...Object.fromEntries(
        [...required, ...(beside[`${tool} ${argument}`] ?? [])].map((other) => [
          other,
          other === 'projectId'
            ? strangersProject
            : other === 'repository'
              ? 'https://example.com/shop'
              : (samples[other] ?? owned[other]),
        ]),
      ),
      [argument]: value,
    })
    const foreign = owned[argument] ?? ''
    const unknown = argument === 'slug' ? `${foreign}x` : argument === 'testId' ? randomUUID() : newId(new Date())
    const ways = [{}, ...(variants[`${tool} ${argument}`] ?? [])]
    for (const way of ways) {
      const theirs = await stranger.call(tool, { ...argumentsWith(foreign), ...way, [argument]: foreign })
      const missing = await stranger.call(tool, { ...argumentsWith(unknown), ...way, [argument]: unknown })
      expect(theirs.isError, theirs.text).toBe(true)
      expect(theirs.facts).toEqual({})
      expect(theirs.text).toMatch(/no such|not found|none of your/i)
      expect(theirs.text).toMatch(/\b(?:list|get|suggest|generate|verify)_[a-z]+|filePath and code|API procedure/)
      expect(theirs.text.replaceAll(foreign, 'ID')).toBe(missing.text.replaceAll(unknown, 'ID'))
    }
  },
)

test('the owner still has all objects afterwards', async () => {
  const rows = await stack.core.dataSource.query<{ count: number }[]>(
    `SELECT (SELECT count(*) FROM projects WHERE id = $1) + (SELECT count(*) FROM webhooks WHERE id = $2 AND deleted_at IS NULL)
          + (SELECT count(*) FROM organizations WHERE id = $3) AS count`,
    [owned['projectId'], owned['webhookId'], owned['organizationId']],
  )
  expect(Number(rows[0]?.count)).toBe(3)
})
