import { z } from 'zod'
import { cleanLine, cleanName, shorten } from '../../../client/sanitize.ts'
import { cutPage, dataNotice, Page, pageOf, renderPageEnd } from '../../answers/output.ts'
import { defineTool } from '../tool.ts'

const defaultLimit = 20

const RepositoryFact = z.object({
  fullName: z.string(),
  cloneUrl: z.string(),
  defaultBranch: z.string(),
  isPrivate: z.boolean(),
  language: z.string().optional(),
  description: z.string().optional(),
})

export const listRepositories = defineTool({
  name: 'list_repositories',
  title: 'List repositories',
  description:
    "Lists repositories of the user's linked code host account, to make a project of one with create_project.",
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
  asked: ({ limit }) => limit !== undefined,
  run: async ({ query, limit = defaultLimit, offset }, call) => {
    const wanted = query?.toLowerCase()
    const all = await call.core.github.getGitHubRepositories.query()
    const found = wanted
      ? all.filter(({ fullName, description }) => `${fullName}\n${description ?? ''}`.toLowerCase().includes(wanted))
      : all
    const { items, page } = pageOf(found, offset, limit)
    const repositories = items.map(({ fullName, cloneUrl, defaultBranch, isPrivate, language, description }) => ({
      fullName: shorten(cleanName(fullName), 200),
      cloneUrl: shorten(cleanName(cloneUrl), 500),
      defaultBranch: shorten(cleanName(defaultBranch), 200),
      isPrivate,
      language: language === '' ? undefined : shorten(cleanLine(language), 50),
      description: description ? shorten(cleanLine(description), 200) : undefined,
    }))
    return { repositories, ...page, note: dataNotice, next: 'Next: create_project with repository, the clone URL.' }
  },
  render: ({ repositories, total, note, next, ...page }) =>
    [
      `${total} ${total === 1 ? 'repository' : 'repositories'}${repositories.length < total ? `, ${repositories.length} shown` : ''}.`,
      ...repositories.map(({ fullName, cloneUrl, defaultBranch, isPrivate, language, description }) =>
        [
          fullName,
          `${cloneUrl} @ ${defaultBranch}`,
          isPrivate ? 'private' : 'public',
          ...(language === undefined ? [] : [language]),
          ...(description === undefined ? [] : [description]),
        ].join(' | '),
      ),
      note,
      ...renderPageEnd({ total, ...page }),
      next,
    ].join('\n'),
  list: {
    count: ({ repositories }) => repositories.length,
    keep: ({ repositories, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(repositories, { total, offset, nextOffset }, count)
      return { ...facts, repositories: items, ...page }
    },
  },
})
