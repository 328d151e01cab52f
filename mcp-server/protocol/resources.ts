import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { CoreClient } from '../../client/core-client.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'
import { askCore } from './ask-core.ts'
import { guides } from './guides.ts'
import { dataNotice } from '../answers/output.ts'
import { selectTools } from '../selection.ts'
import type { Runtime } from '../server.ts'
import type { Call } from '../tools/tool.ts'

/** Of whose id an address speaks. */
export type IdKind = 'project' | 'run' | 'webhook'

interface Template {
  name: string
  title: string
  description: string
  of: IdKind
  /** Whoever is not offered this tool does not get at the resource either. */
  tool: string
  /** The text of it; where there are several parts, each as long as a tool's answer at most. */
  read: (id: string, look: Look) => Promise<string>
}

interface Look {
  core: CoreClient
  /** What a tool answers, cleaned and within its budget. */
  tell: (tool: string, given: Record<string, unknown>) => Promise<string>
}

const mostArtifacts = 50

export const templates: readonly Template[] = [
  {
    name: 'report',
    title: 'Report of a run',
    description: 'Counts, and what failed by cause',
    of: 'run',
    tool: 'wait_for_run',
    read: (runId, { tell }) => tell('wait_for_run', { runId, waitSeconds: 0 }),
  },
  {
    name: 'log',
    title: 'Log of a run',
    description: 'The end of what it printed',
    of: 'run',
    tool: 'get_run_log',
    read: (runId, { tell }) => tell('get_run_log', { runId }),
  },
  {
    name: 'artifacts',
    title: 'Artifacts of a run',
    description: 'Files that it left, with size and where to download them',
    of: 'run',
    tool: 'get_run',
    read: readArtifacts,
  },
  {
    name: 'analysis',
    title: 'Latest analysis of a project',
    description: 'Its summary, and what is most worth testing',
    of: 'project',
    tool: 'get_analysis',
    read: async (projectId, { tell }) => {
      const summary = await tell('get_analysis', { projectId })
      return `${summary}\n\n${await tell('get_analysis', { projectId, section: 'candidates' })}`
    },
  },
]

export const uriOf = ({ of, name }: Pick<Template, 'of' | 'name'>, id: string) => `${of}://${id}/${name}`

async function readArtifacts(runId: string, { core }: Look): Promise<string> {
  const { projectId } = await core.testRuns.get.query({ runId })
  const files = await core.files.list.query({ projectId, runId, limit: mostArtifacts + 1 })
  const shown = files.slice(0, mostArtifacts).map(({ name, size, contentType, path }) => {
    const what = `${shorten(cleanName(name), 200)} | ${size} B | ${shorten(cleanLine(contentType), 80)}`
    return `${what} | ${shorten(cleanName(path), 400)}`
  })
  return [
    `Run ${runId} has ${files.length > mostArtifacts ? `more than ${mostArtifacts}` : files.length} artifacts.`,
    ...(shown.length > 0 ? [dataNotice, 'Name, size, type, path at the API:', ...shown] : []),
    ...(files.length > mostArtifacts ? [`Only the first ${mostArtifacts} are listed here.`] : []),
  ].join('\n')
}

const markdown = 'text/markdown'
/** Guides change with the program alone. */
const guideHint = { ttlMs: 86_400_000, cacheScope: 'public' } as const

/** What can be read beside the tools: guides, and what the tools tell of runs and projects under lasting addresses. */
export function serveResources({ server }: McpServer, runtime: Runtime): void {
  server.registerCapabilities({ resources: {} })
  server.setRequestHandler('resources/list', () => ({
    resources: guides.map(({ name, title, description }) => ({
      uri: `guide://${name}`,
      name,
      title,
      description,
      mimeType: markdown,
    })),
    ...guideHint,
  }))
  server.setRequestHandler('resources/templates/list', async (_request, ctx) => {
    const { selection, scopes } = await runtime.caller(ctx, { scopes: true })
    const offered = selectTools(selection, scopes).map(({ name }) => name)
    const resourceTemplates = templates
      .filter(({ tool }) => offered.includes(tool))
      .map(({ of, name, title, description }) => ({
        uriTemplate: uriOf({ of, name }, '{id}'),
        name: `${of}-${name}`,
        title,
        description,
        mimeType: markdown,
      }))
    return { resourceTemplates, ttlMs: 300_000, cacheScope: 'private' as const }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const guide = guides.find(({ name }) => uri === `guide://${name}`)
    if (guide) return { contents: [{ uri, mimeType: markdown, text: guide.text }], ...guideHint }
    const [, of, id, name] = /^(\w+):\/\/([0-9A-Z]{26})\/(\w+)$/.exec(uri) ?? []
    const template = templates.find((one) => one.of === of && one.name === name)
    if (!template || id === undefined) throw notFound(uri)
    const { caller, ask } = await askCore(runtime, ctx)
    const offered = selectTools(caller.selection)
    if (!offered.some((tool) => tool.name === template.tool)) throw notFound(uri)
    const text = await ask(async (core) => {
      const { local, suggestions } = runtime
      const { signal } = ctx.mcpReq
      const quiet = { wantsProgress: false, reportProgress: () => {} }
      const call: Call = { core, caller: caller.key, local, suggestions, signal, ...quiet }
      const tell: Look['tell'] = async (wanted, given) => {
        const answer = await offered.find((tool) => tool.name === wanted)?.answer(given, call)
        if (answer === undefined || answer === 'asked') throw new Error(`${wanted} tells nothing`)
        return answer.text
      }
      try {
        return await template.read(id, { core, tell })
      } catch (error) {
        if (error instanceof UserError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
        throw error
      }
    })
    if (text === undefined) throw notFound(uri)
    return { contents: [{ uri, mimeType: markdown, text }], ttlMs: 0, cacheScope: 'private' }
  })
}

const notFound = (uri: string) => new ResourceNotFoundError(shorten(cleanName(uri), 200))
