import { z } from 'zod'
import { type Context, requireUnconfined } from '../base/context.ts'
import { asLinkedUser } from './client.ts'
import { noUsableAnswer } from './problems.ts'
import type { Repository } from './schema.ts'

const pageSize = 100
const maxPages = 50

const Listed = z.object({
  id: z.int(),
  name: z.string(),
  full_name: z.string(),
  description: z.string().nullish(),
  html_url: z.string(),
  clone_url: z.string(),
  language: z.string().nullish(),
  stargazers_count: z.int().nonnegative(),
  forks_count: z.int().nonnegative(),
  private: z.boolean(),
  updated_at: z.string().nullish(),
  created_at: z.string().nullish(),
  default_branch: z.string(),
})

/**
 * Lists the repositories that the caller's linked account can see, the most recently pushed first, at most 5,000.
 * Private repositories are included if the link may read them.
 */
export async function listRepositories(ctx: Context): Promise<Repository[]> {
  const { userId } = requireUnconfined(ctx, 'list the repositories of a user')
  const found = await asLinkedUser(ctx, userId, async ({ paginate }) => {
    // Keyed by id, because a push during pagination moves a repository to another page.
    const repositories = new Map<number, Repository>()
    let pages = 0
    for await (const { data } of paginate.iterator('GET /user/repos', { per_page: pageSize, sort: 'pushed' })) {
      const page = z.array(Listed).safeParse(data)
      if (!page.success) throw noUsableAnswer('its format differs from GitHub’s API')
      for (const listed of page.data) repositories.set(listed.id, present(listed))
      if (++pages === maxPages) break
    }
    return repositories
  })
  return [...found.values()]
}

function present(listed: z.infer<typeof Listed>): Repository {
  const updated = new Date(listed.updated_at ?? listed.created_at ?? 0)
  return {
    id: listed.id,
    name: listed.name,
    fullName: listed.full_name,
    description: listed.description ?? null,
    url: listed.html_url,
    cloneUrl: listed.clone_url,
    language: listed.language ?? '',
    stars: listed.stargazers_count,
    forks: listed.forks_count,
    isPrivate: listed.private,
    updatedAt: (Number.isNaN(updated.getTime()) ? new Date(0) : updated).toISOString(),
    defaultBranch: listed.default_branch,
  }
}
