import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import { listedSchema } from './json-schema.ts'
import type { Tool } from '../tools/tool.ts'

const made = { here: new WeakMap<Tool, ListedTool>(), elsewhere: new WeakMap<Tool, ListedTool>() }

/** Tools as clients get to see them; without the arguments that make no sense when the server is not on their machine. */
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

/** As it is listed where the server is confined to one project, which is then the one that is meant. */
export function withoutNeedOfProject(tool: ListedTool): ListedTool {
  const { required = [], ...schema } = tool.inputSchema
  const others = required.filter((name) => name !== 'projectId')
  return { ...tool, inputSchema: others.length === 0 ? schema : { ...schema, required: others } }
}
