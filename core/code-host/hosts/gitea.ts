import { z } from 'zod'
import { findInPages, invisible, parseAnswer, readOnly, unlessMissing } from './answers.ts'
import type { CodeHostApi } from './api.ts'
import { gitHubApi, type GitHubOptions, isSame } from './github.ts'

const Status = z.object({
  context: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
})
const Repository = z.object({ permissions: z.object({ push: z.boolean() }).nullish() })

/** The API of Gitea and Forgejo. Its pull requests, comments and statuses have the paths of GitHub's API. */
export function giteaApi(options: Omit<GitHubOptions, 'app'>): CodeHostApi {
  const { call } = options
  const { owner, name: repo } = options.repository
  return {
    ...gitHubApi(options),
    kind: 'gitea',

    async hasStatus(status) {
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /repos/{owner}/{repo}/commits/{ref}/statuses', {
            schema: Status,
            parameters: { owner, repo, ref: status.commitSha, sort: 'recentupdate', limit: 50 },
            matches: ({ context }) => context === status.context,
          }),
        ),
      )
      const { status: state, description, target_url: targetUrl } = found ?? { status: 'none' }
      return isSame({ state, description: description ?? '', targetUrl: targetUrl ?? '' }, status)
    },

    async findMissing() {
      const found = await unlessMissing(call((client) => client.request('GET /repos/{owner}/{repo}', { owner, repo })))
      if (!found) return invisible
      const { permissions } = parseAnswer(Repository, found.data)
      return permissions?.push ? undefined : readOnly('the scopes write:repository, write:issue and read:user')
    },
  }
}
