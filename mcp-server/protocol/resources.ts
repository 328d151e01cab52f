import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { CoreClient } from '../../client/core-client.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'
import { UserError } from '../../client/user-error.ts'
import { askCore } from './ask-core.ts'
import { guides } from './guides.ts'
import { dataNotice } from '../answers/output.ts'
import { selectTools } from '../selection.ts'
import { loadTools } from '../tools/load.ts'
import type { Runtime } from '../runtime.ts'
import type { Call } from '../tools/tool.ts'

/** The kind of object whose id an address holds. */
export type IdKind = 'project' | 'run' | 'webhook' | 'change'

interface Template {
  name: string
  title: string
  description: string
  of: IdKind
  /** The resource is served only where this tool is offered. */
  tool: string
  /** Returns the text. Each part is at most as long as a tool's answer. */
  read: (id: string, look: Look) => Promise<string>
}

interface Look {
  core: CoreClient
  /** Returns a tool's answer, cleaned and within its budget. */
  answerOf: (tool: string, given: Record<string, unknown>) => Promise<string>
}

const maxArtifacts = 50

export const templates: readonly Template[] = [
  {
    name: 'report',
    title: 'Report of a run',
    description: 'Counts, and failures by cause',
    of: 'run',
    tool: 'wait_for_run',
    read: (runId, { answerOf }) => answerOf('wait_for_run', { runId, waitSeconds: 0 }),
  },
  {
    name: 'log',
    title: 'Log of a run',
    description: 'The end of the output',
    of: 'run',
    tool: 'get_run_log',
    read: (runId, { answerOf }) => answerOf('get_run_log', { runId }),
  },
  {
    name: 'artifacts',
    title: 'Artifacts of a run',
    description: 'Files of the run, with size and download path',
    of: 'run',
    tool: 'get_run',
    read: readArtifacts,
  },
  {
    name: 'evidence',
    title: 'Evidence of a verified change',
    description: 'Verdict, broken tests, unproved lines and survivors',
    of: 'change',
    tool: 'verify_change',
    read: (changeId, { answerOf }) => answerOf('verify_change', { changeId, detail: true, waitSeconds: 0 }),
  },
  {
    name: 'analysis',
    title: 'Latest analysis of a project',
    description: 'Summary and best test candidates',
    of: 'project',
    tool: 'get_analysis',
    read: async (projectId, { answerOf }) => {
      const summary = await answerOf('get_analysis', { projectId })
      return `${summary}\n\n${await answerOf('get_analysis', { projectId, section: 'candidates' })}`
    },
  },
]

export const uriOf = ({ of, name }: Pick<Template, 'of' | 'name'>, id: string) => `${of}://${id}/${name}`

async function readArtifacts(runId: string, { core }: Look): Promise<string> {
  const { projectId } = await core.testRuns.get.query({ runId })
  const files = await core.files.list.query({ projectId, runId, limit: maxArtifacts + 1 })
  const shown = files.slice(0, maxArtifacts).map(({ name, size, contentType, path }) => {
    const what = `${shorten(cleanName(name), 200)} | ${size} B | ${shorten(cleanLine(contentType), 80)}`
    return `${what} | ${shorten(cleanName(path), 400)}`
  })
  return [
    `Run ${runId} has ${files.length > maxArtifacts ? `more than ${maxArtifacts}` : files.length} artifacts.`,
    ...(shown.length > 0 ? [dataNotice, 'Name, size, type, path at the API:', ...shown] : []),
    ...(files.length > maxArtifacts ? [`Only the first ${maxArtifacts} are listed here.`] : []),
  ].join('\n')
}

const markdown = 'text/markdown'
/** Guides change only with a new version. */
const guideHint = { ttlMs: 86_400_000, cacheScope: 'public' } as const

/** Serves guides, and the answers of some tools under stable addresses. */
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
      const answerOf: Look['answerOf'] = async (wanted, given) => {
        const { definitionsOf } = await loadTools()
        const [tool] = definitionsOf(offered.filter(({ name }) => name === wanted))
        const answer = await tool?.answer(given, call)
        if (answer === undefined || answer === 'asked') throw new Error(`${wanted} returned no answer`)
        return answer.text
      }
      try {
        return await template.read(id, { core, answerOf })
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
