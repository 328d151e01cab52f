import { resolve } from 'node:path'
import { Client as V2Client, StreamableHTTPClientTransport as V2HttpTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as V2StdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

const ToolResult = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})

export interface CalledTool {
  text: string
  /** Empty for errors. */
  facts: Record<string, unknown>
  isError: boolean
}

/** The interface of all SDK clients in the tests. */
export interface TestClient extends AsyncDisposable, Reading {
  protocolVersion: string | undefined
  instructions: string | undefined
  toolNames: () => Promise<string[]>
  /** Sends the DELETE that ends a session of the older era, where there is one. */
  endSession: () => Promise<void>
  call: (name: string, args?: Record<string, unknown>, onprogress?: (progress: Progress) => void) => Promise<CalledTool>
}

/** Requests other than tool calls. */
interface Reading {
  resources: () => Promise<string[]>
  templates: () => Promise<string[]>
  readResource: (uri: string) => Promise<string>
  promptNames: () => Promise<string[]>
  prompt: (name: string, args?: Record<string, string>) => Promise<string>
  complete: (ref: Reference, name: string, value: string, beside?: Record<string, string>) => Promise<string[]>
}

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

const Contents = z.object({ contents: z.array(z.object({ uri: z.string(), text: z.string() })).length(1) })
const Messages = z.object({ messages: z.array(z.object({ content: z.object({ text: z.string() }) })).length(1) })

function reading(client: V1Client | V2Client): Reading {
  return {
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    readResource: async (uri) => Contents.parse(await client.readResource({ uri })).contents[0]?.text ?? '',
    promptNames: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args = {}) =>
      Messages.parse(await client.getPrompt({ name, arguments: args })).messages[0]?.content.text ?? '',
    complete: async (ref, name, value, beside = {}) =>
      (await client.complete({ ref, argument: { name, value }, context: { arguments: beside } })).completion.values,
  }
}

interface Progress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

/** The user of a client, who answers a question. */
export type TestUser = (
  question: string,
) => { action: 'accept'; content: Record<string, boolean> } | { action: 'decline' | 'cancel' }

export type Place = { kind: 'stdio'; env: Record<string, string> } | { kind: 'http'; url: string; token: string }

export const mcpMain = resolve(import.meta.dirname, '../main.ts')

/** The environment of a child process, without the settings of this one. Many children start, so they share compiled code. */
export const childEnvironment = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/assay/code'),
  LOG_LEVEL: 'silent',
  // Hides the login of the developer who runs the tests.
  XDG_CONFIG_HOME: '/nonexistent',
  ...env,
})

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** Connects the most deployed client, which uses the older era. */
export async function connectV1(place: Place, user?: TestUser): Promise<TestClient> {
  const transport =
    place.kind === 'stdio'
      ? new V1StdioTransport({ command: process.execPath, args: [mcpMain], env: childEnvironment(place.env) })
      : new V1HttpTransport(new URL(place.url), bearer(place.token))
  const client = new V1Client(...introduction(user))
  if (user) client.setRequestHandler(ElicitRequestSchema, ({ params }) => user(params.message))
  await client.connect(transport)
  return {
    ...reading(client),
    protocolVersion: 'protocolVersion' in transport ? transport.protocolVersion : undefined,
    instructions: client.getInstructions(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, onprogress) =>
      read(await client.callTool({ name, arguments: args }, undefined, onprogress ? { onprogress } : {})),
    endSession: async () => {
      if (transport instanceof V1HttpTransport) await transport.terminateSession()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Declares elicitation where the client has a user. */
const introduction = (user: TestUser | undefined) =>
  [{ name: 'test', version: '1' }, { capabilities: user ? { elicitation: {} } : {} }] as const

/** Connects the current client in the given era. */
export async function connectV2(
  place: Place,
  mode: 'legacy' | 'auto' | { pin: string },
  user?: TestUser,
): Promise<TestClient> {
  const transport =
    place.kind === 'stdio'
      ? new V2StdioTransport({ command: process.execPath, args: [mcpMain], env: childEnvironment(place.env) })
      : new V2HttpTransport(new URL(place.url), bearer(place.token))
  const [info, options] = introduction(user)
  const client = new V2Client(info, { ...options, versionNegotiation: { mode } })
  if (user) client.setRequestHandler('elicitation/create', ({ params }) => user(params.message))
  await client.connect(transport)
  return {
    ...reading(client),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, onprogress) =>
      read(await client.callTool({ name, arguments: args }, onprogress ? { onprogress } : {})),
    endSession: async () => {
      if (transport instanceof V2HttpTransport) await transport.terminateSession()
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function read(result: unknown): CalledTool {
  const { content, structuredContent = {}, isError = false } = ToolResult.parse(result)
  return { text: content[0]?.text ?? '', facts: structuredContent, isError }
}

/** Returns every string and number of the structured answer, in any depth. */
export function leaves(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return []
}
