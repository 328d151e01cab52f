import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'

export type FixtureResult = CallToolResult | InputRequiredResult

export interface FixtureTool {
  name: string
  properties?: Record<string, { type: string }>
  required?: readonly string[]
  run: (args: Record<string, unknown>, ctx: ServerContext) => FixtureResult | Promise<FixtureResult>
}

export const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] })
