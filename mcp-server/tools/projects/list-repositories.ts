import { z } from 'zod'
import { dataNotice, Page, pageOf } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool } from '../tool.ts'

const defaultLimit = 20

const RepositoryFact = z.object({
  fullName: untrusted.name(200),
  cloneUrl: untrusted.name(500),
  defaultBranch: untrusted.name(200),
  isPrivate: z.boolean(),
  language: maybe(untrusted.line(50)),
  description: maybe(untrusted.line(200)),
})

export const listRepositories = defineTool({
  name: 'list_repositories',
  title: 'List repositories',
  description: "Lists the repositories of the user's linked code host account. create_project takes one of them.",
  scope: 'projects:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    query: z.string().max(200).optional().describe('Part of owner/name or description'),
    limit: z.int().min(1).max(100).optional(),
    offset: z.int().min(0).default(0),
  }),
  outputSchema: z.object({
    repositories: z.array(RepositoryFact),
    ...Page.shape,
    note: z.string(),
    next: z.string(),
  }),
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ query, limit = defaultLimit, offset }, call) => {
    const wanted = query?.toLowerCase()
    const all = await call.core.github.getGitHubRepositories.query()
    const found = wanted
      ? all.filter(({ fullName, description }) => `${fullName}\n${description ?? ''}`.toLowerCase().includes(wanted))
      : all
    const { items, page } = pageOf(found, offset, limit)
    const next = 'Next: create_project with the clone URL as repository.'
    return { repositories: items, ...page, note: dataNotice, next }
  },
})
