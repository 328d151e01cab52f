import { resolve } from 'node:path'
import { Client as V2Client, StreamableHTTPClientTransport as V2HttpTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport as V2StdioTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
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

/** What the tests need of a client, whichever SDK it comes from. */
export interface TestClient extends AsyncDisposable {
  protocolVersion: string | undefined
  instructions: string | undefined
  toolNames: () => Promise<string[]>
  /** Sends the DELETE that ends a session of the older era, where there is one. */
  endSession: () => Promise<void>
  call: (name: string, args?: Record<string, unknown>, onprogress?: (progress: Progress) => void) => Promise<CalledTool>
}

interface Progress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

export type Place = { kind: 'stdio'; env: Record<string, string> } | { kind: 'http'; url: string; token: string }

export const mcpMain = resolve(import.meta.dirname, '../main.ts')

/** A child gets what it needs to run, and nothing of our own settings. Compiled code is kept: many are started. */
export const childEnvironment = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../node_modules/.cache/assay/code'),
  LOG_LEVEL: 'silent',
  // No login of whoever runs the tests.
  XDG_CONFIG_HOME: '/nonexistent',
  ...env,
})

const bearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

/** The most deployed client, which speaks the older era. */
export async function connectV1(place: Place): Promise<TestClient> {
  const transport =
    place.kind === 'stdio'
      ? new V1StdioTransport({ command: process.execPath, args: [mcpMain], env: childEnvironment(place.env) })
      : new V1HttpTransport(new URL(place.url), bearer(place.token))
  const client = new V1Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
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

/** The current client, in the era asked for. */
export async function connectV2(place: Place, mode: 'legacy' | 'auto' | { pin: string }): Promise<TestClient> {
  const transport =
    place.kind === 'stdio'
      ? new V2StdioTransport({ command: process.execPath, args: [mcpMain], env: childEnvironment(place.env) })
      : new V2HttpTransport(new URL(place.url), bearer(place.token))
  const client = new V2Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return {
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
