import { z } from 'zod'
import { procedure, router } from '../http/trpc.ts'
import { getLink } from './get-link.ts'
import { listRepositories } from './list-repositories.ts'
import { CodeHostLink, GetLink, ListRepositories, Repository } from './schema.ts'

export const codeHostRouter = router({
  getGitHubRepositories: procedure
    .input(ListRepositories)
    .output(z.array(Repository))
    .query(({ ctx }) => listRepositories(ctx)),
  getLink: procedure
    .input(GetLink)
    .output(CodeHostLink)
    .query(({ ctx }) => getLink(ctx)),
})
