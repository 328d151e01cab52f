import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CoreClient } from '../../client/core-client.ts'
import { askCore } from './ask-core.ts'
import { prompts } from './prompts.ts'
import { type IdKind, templates, uriOf } from './resources.ts'
import { selectTools } from '../selection.ts'
import type { Runtime } from '../runtime.ts'

const maxValues = 20
/** Bounds the calls to core for one completion without a project, since a user waits for it. */
const maxProjects = 3

const Known = z.array(
  z.object({
    id: z.string().regex(/^[0-9A-Z]{26}$/),
    /** The text that people search for, in lower case. */
    called: z.string(),
  }),
)
type Known = z.infer<typeof Known>

/** Completes ids from the beginning of the id, or from a part of a name. */
export function serveCompletions({ server }: McpServer, runtime: Runtime): void {
  server.registerCapabilities({ completions: {} })
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, ctx) => {
    const wanted = ref.type === 'ref/prompt' ? ofPrompt(ref.name, argument.name) : ofTemplate(ref.uri, argument.name)
    if (!wanted) return nothing
    const { caller, ask } = await askCore(runtime, ctx)
    if (!selectTools(caller.selection).some(({ name }) => name === wanted.tool)) return nothing
    const begun = argument.value.trim().toLowerCase()
    const meant =
      (await ask(async (core) => {
        const known = Known.parse(await find[wanted.of](core, context?.arguments?.['projectId']))
        return known.filter(({ id, called }) => id.toLowerCase().startsWith(begun) || called.includes(begun))
      })) ?? []
    const values = meant.slice(0, maxValues).map(({ id }) => id)
    return { completion: { values, total: meant.length, hasMore: meant.length > values.length } }
  })
}

const nothing = { completion: { values: [], total: 0, hasMore: false } }

interface Wanted {
  of: IdKind
  /** Ids are completed only where this tool is offered. */
  tool: string
}

const listing: Readonly<Record<IdKind, string>> = {
  project: 'list_projects',
  run: 'list_runs',
  webhook: 'list_webhooks',
  change: 'verify_change',
}

function ofPrompt(name: string, argument: string): Wanted | undefined {
  const of = prompts.find((one) => one.name === name)?.arguments.find((one) => one.name === argument)?.of
  return of && { of, tool: listing[of] }
}

const ofTemplate = (uri: string, argument: string): Wanted | undefined =>
  argument === 'id' ? templates.find((one) => uriOf(one, '{id}') === uri) : undefined

const find: Readonly<Record<IdKind, (core: CoreClient, projectId: string | undefined) => Promise<Known>>> = {
  project: async (core) => {
    const projects = await core.projects.getProjects.query()
    return projects.map(({ id, name, repository }) => ({ id, called: `${name} ${repository}`.toLowerCase() }))
  },
  run: (core, projectId) =>
    ofProjects(core, projectId, async (id) => {
      const { runs } = await core.testRuns.list.query({ projectId: id, limit: maxValues })
      return runs.map((run) => ({ id: run.id, called: [run.reportedStatus, run.branch].join(' ').toLowerCase() }))
    }),
  change: (core, projectId) =>
    ofProjects(core, projectId, async (id) => {
      const { changes } = await core.changes.list.query({ projectId: id, limit: maxValues })
      return changes.map(({ id, verdict, status, head }) => ({
        id,
        called: [verdict ?? status, head].join(' ').toLowerCase(),
      }))
    }),
  webhook: (core, projectId) =>
    ofProjects(core, projectId, async (id) => {
      const { webhooks } = await core.webhooks.list.query({ projectId: id })
      return webhooks.map(({ id, url }) => ({ id, called: url.toLowerCase() }))
    }),
}

/** Returns the newest first, each once: all projects of an organization share its webhooks. */
async function ofProjects(
  core: CoreClient,
  projectId: string | undefined,
  look: (projectId: string) => Promise<Known>,
): Promise<Known> {
  const newest = projectId === undefined ? (await core.projects.getProjects.query()).slice(0, maxProjects) : []
  const found = await Promise.all((projectId === undefined ? newest.map(({ id }) => id) : [projectId]).map(look))
  const byId = new Map(found.flat().map((known) => [known.id, known]))
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1))
}
