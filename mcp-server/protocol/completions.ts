import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CoreClient } from '../../client/core-client.ts'
import { askCore } from './ask-core.ts'
import { prompts } from './prompts.ts'
import { type IdKind, templates, uriOf } from './resources.ts'
import { selectTools } from '../selection.ts'
import type { Runtime } from '../server.ts'

const mostValues = 20
/** Without a project, runs and webhooks of so many are looked through: whoever types does not wait for more. */
const projectsLookedThrough = 3

const Known = z.array(
  z.object({
    id: z.string().regex(/^[0-9A-Z]{26}$/),
    /** What people know it by. */
    called: z.string(),
  }),
)
type Known = z.infer<typeof Known>

/** Ids for what somebody began to type: of the id itself, or of a name. */
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
    const values = meant.slice(0, mostValues).map(({ id }) => id)
    return { completion: { values, total: meant.length, hasMore: meant.length > values.length } }
  })
}

const nothing = { completion: { values: [], total: 0, hasMore: false } }

interface Wanted {
  of: IdKind
  /** Whoever is not offered this tool does not get the ids either. */
  tool: string
}

const listing: Readonly<Record<IdKind, string>> = {
  project: 'list_projects',
  run: 'list_runs',
  webhook: 'list_webhooks',
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
      const { runs } = await core.testRuns.list.query({ projectId: id, limit: mostValues })
      return runs.map((run) => ({ id: run.id, called: [run.reportedStatus, run.branch].join(' ').toLowerCase() }))
    }),
  webhook: (core, projectId) =>
    ofProjects(core, projectId, async (id) => {
      const { webhooks } = await core.webhooks.list.query({ projectId: id })
      return webhooks.map(({ id, url }) => ({ id, called: url.toLowerCase() }))
    }),
}

/** Newest first, each once: a webhook of an organization is one of all its projects. */
async function ofProjects(
  core: CoreClient,
  projectId: string | undefined,
  look: (projectId: string) => Promise<Known>,
): Promise<Known> {
  const newest =
    projectId === undefined ? (await core.projects.getProjects.query()).slice(0, projectsLookedThrough) : []
  const found = await Promise.all((projectId === undefined ? newest.map(({ id }) => id) : [projectId]).map(look))
  const byId = new Map(found.flat().map((known) => [known.id, known]))
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1))
}
