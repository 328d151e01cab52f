import { z } from 'zod'
import { procedure, router } from '../http/trpc.ts'
import { listRepositories } from './list-repositories.ts'
import { ListRepositories, Repository } from './schema.ts'

export const codeHostRouter = router({
  getGitHubRepositories: procedure
    .input(ListRepositories)
    .output(z.array(Repository))
    .query(({ ctx }) => listRepositories(ctx)),
})
