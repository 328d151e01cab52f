import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { listedSchema } from './json-schema.ts'
import type { Tool } from '../tools/tool.ts'

const made = { here: new WeakMap<Tool, ListedTool>(), elsewhere: new WeakMap<Tool, ListedTool>() }

/** Lists tools for clients, without local arguments where the server runs on another machine. */
export function listTools(tools: readonly Tool[], local: boolean): ListedTool[] {
  return tools.map((tool) => {
    const listings = local ? made.here : made.elsewhere
    const listed = listings.get(tool) ?? listTool(tool, local)
    listings.set(tool, listed)
    return listed
  })
}

function listTool(tool: Tool, local: boolean): ListedTool {
  const { name, title, description, hints, inputSchema, outputSchema, localArguments } = tool
  return {
    name,
    title,
    description,
    inputSchema: listedSchema(inputSchema, 'input', local ? [] : localArguments),
    outputSchema: listedSchema(outputSchema, 'output'),
    annotations: { ...hints },
  }
}

/** The listing on a server that is confined to one project, where `projectId` is optional. */
export function withoutNeedOfProject(tool: ListedTool): ListedTool {
  const { required = [], ...schema } = tool.inputSchema
  const others = required.filter((name) => name !== 'projectId')
  return { ...tool, inputSchema: others.length === 0 ? schema : { ...schema, required: others } }
}
