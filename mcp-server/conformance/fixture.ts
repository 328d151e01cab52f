import { randomBytes } from 'node:crypto'
import {
  createRequestStateCodec,
  fromJsonSchema,
  type GetPromptResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ListToolsResult,
  type McpHttpHandler,
  type McpServer,
  ProtocolError,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveTasks, TaskServer } from '../protocol/tasks.ts'
import { rounds } from './rounds.ts'
import { createTaskTools } from './task-tools.ts'
import { contentTools, pixel, questions } from './tools.ts'
import type { FixtureTool } from './tool.ts'

type Schema = ListToolsResult['tools'][number]['inputSchema']

/** One property is also a header, which the SDK checks for tools that it registers. */
const mirrored = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
} as const

/** Tools whose schemas must be listed unchanged, by name. */
const echoes: Readonly<Record<string, Schema>> = {
  test_x_mcp_header: mirrored,
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

const codec = createRequestStateCodec<Record<string, unknown>>({ key: randomBytes(32) })

/**
 * Creates servers with the tools, resources and prompts that the conformance suite requires, to test our transports,
 * sessions, token check and tasks.
 */
export function createFixture(notify: () => McpHttpHandler['notify']): () => McpServer {
  const tasks = createTaskTools()
  const tools: readonly FixtureTool[] = [
    ...contentTools,
    ...questions,
    ...rounds((state) => codec.mint(state)),
    ...tasks.tools,
    trigger('test_trigger_tool_change', () => notify().toolsChanged()),
    trigger('test_trigger_prompt_change', () => notify().promptsChanged()),
  ]
  return () => {
    const mcp = new TaskServer(
      { name: 'assay-conformance', version: '1.0.0' },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
          logging: {},
          completions: {},
        },
        requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
      },
    )
    serveTools(mcp, tools)
    serveTasks(mcp, tasks.source)
    serveResources(mcp)
    servePrompts(mcp)
    mcp.server.setRequestHandler('logging/setLevel', () => ({}))
    mcp.server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'] } }))
    return mcp
  }
}

const trigger = (name: string, happen: () => void): FixtureTool => ({
  name,
  run: () => {
    happen()
    return { content: [{ type: 'text', text: 'told' }] }
  },
})

/** Uses the low-level handlers like the real server, because a registered tool cannot return a protocol error. */
function serveTools(mcp: McpServer, tools: readonly FixtureTool[]): void {
  const echo = (args: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(args) }] })
  mcp.registerTool('test_x_mcp_header', { inputSchema: fromJsonSchema(mirrored) }, echo)
  mcp.server.setRequestHandler('tools/list', () => ({
    tools: [
      ...Object.entries(echoes).map(([name, inputSchema]) => ({ name, description: name, inputSchema })),
      ...tools.map(({ name, properties = {}, required = [] }) => ({
        name,
        description: `For the conformance suite: ${name}`,
        inputSchema: { type: 'object' as const, properties, required: [...required] } satisfies Schema,
      })),
    ],
  }))
  mcp.server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const args = params.arguments ?? {}
    if (params.name in echoes) return echo(args)
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool) throw new ProtocolError(-32_602, `Unknown tool ${params.name}`)
    try {
      return await tool.run(args, ctx)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      return { content: [{ type: 'text', text: String(error) }], isError: true }
    }
  })
}

function serveResources({ server }: McpServer): void {
  const fixed = [
    { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain', text: 'The text of a resource.' },
    { uri: 'test://watched-resource', name: 'watched-resource', mimeType: 'text/plain', text: 'Watched.' },
    { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png', blob: pixel },
  ]
  server.setRequestHandler('resources/list', () => ({
    resources: fixed.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = fixed.find((one) => one.uri === uri)
    if (found) {
      const { name: _, ...contents } = found
      return { contents: [contents.blob === undefined ? { ...contents, text: contents.text } : contents] }
    }
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
    if (id === undefined) throw new ResourceNotFoundError(uri)
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: 'application/json', text }] }
  })
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

type Message = GetPromptResult['messages'][number]
const said = (text: string): Message => ({ role: 'user', content: { type: 'text', text } })

interface FixturePrompt {
  name: string
  takes?: readonly string[]
  get: (args: Record<string, string>, ctx: ServerContext) => GetPromptResult | InputRequiredResult
}

const prompts: readonly FixturePrompt[] = [
  { name: 'test_simple_prompt', get: () => ({ messages: [said('This is a simple prompt for testing.')] }) },
  {
    name: 'test_prompt_with_arguments',
    takes: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    takes: ['resourceUri'],
    get: ({ resourceUri: uri = '' }) => ({
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } } },
        said('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    get: () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
        said('Please analyze the image above.'),
      ],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    get: (_args, ctx) => {
      const given = inputResponse(ctx.mcpReq.inputResponses, 'user_context')
      if (given.kind === 'elicit') return { messages: [said(`In this context: ${JSON.stringify(given)}`)] }
      const requestedSchema = { type: 'object', properties: { context: { type: 'string' } } } as const
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message: 'What context?', requestedSchema }) },
      })
    },
  },
]

function servePrompts({ server }: McpServer): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ name, takes = [] }) => ({
      name,
      description: name,
      arguments: takes.map((argument) => ({ name: argument, description: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (!prompt) throw new ProtocolError(-32_602, `Unknown prompt ${params.name}`)
    return prompt.get(params.arguments ?? {}, ctx)
  })
}
