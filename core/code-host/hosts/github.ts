import { z } from 'zod'
import { findInPages, invisible, number, once, parseAnswer, readOnly, sha, text, unlessMissing } from './answers.ts'
import type { CallHost, CodeHostApi, HostStatus, PullRequest } from './api.ts'
import { gitHubCheckRuns } from './github-checks.ts'

const Comment = z.object({
  id: number,
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
})
const Pull = z.object({
  number,
  title: text,
  state: z.string(),
  html_url: text,
  head: z.object({ sha, ref: text, repo: z.object({ id: number }).nullish() }),
  base: z.object({ sha, ref: text, repo: z.object({ id: number }) }),
})
const Status = z.object({
  context: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
})

export interface GitHubOptions {
  call: CallHost
  account: string
  place: string
  repository: { owner: string; name: string }
  /** Present for the installation of an app. */
  app?: { id: string }
  /** The login of the account, which is the author of its comments. */
  login: () => Promise<string>
}

/** The API of GitHub and of servers that copy it. */
export function gitHubApi({ call, account, place, repository, app, login }: GitHubOptions): CodeHostApi {
  const { owner, name: repo } = repository
  const at = { owner, repo }
  return {
    kind: 'github',
    account,
    place,
    checks: app && gitHubCheckRuns(call, at, app.id),

    async postStatus(status) {
      const fields = statusFields(status)
      await call((client) =>
        client.request('POST /repos/{owner}/{repo}/statuses/{sha}', { ...at, sha: status.commitSha, ...fields }),
      )
    },

    async hasStatus(status) {
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /repos/{owner}/{repo}/commits/{ref}/statuses', {
            schema: Status,
            parameters: { ...at, ref: status.commitSha },
            // The newest is the first.
            matches: ({ context }) => context === status.context,
          }),
        ),
      )
      const { state, description, target_url: targetUrl } = found ?? { state: 'none' }
      return isSame({ state, description: description ?? '', targetUrl: targetUrl ?? '' }, status)
    },

    async findComment(pullRequest, beginning) {
      const author = await login()
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
            schema: Comment,
            parameters: { ...at, issue_number: pullRequest },
            matches: ({ body, user }) => user?.login === author && (body ?? '').startsWith(beginning),
          }),
        ),
      )
      return found && { id: String(found.id), body: found.body ?? '' }
    },

    async createComment(pullRequest, body) {
      const { data } = await call((client) =>
        client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
          ...at,
          issue_number: pullRequest,
          body,
          ...once,
        }),
      )
      return { id: String(parseAnswer(Comment, data).id), body }
    },

    async editComment(_pullRequest, id, body) {
      const path = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}'
      const edited = unlessMissing(call((client) => client.request(path, { ...at, comment_id: Number(id), body })))
      return (await edited) !== undefined
    },

    async findPullRequest(pullNumber) {
      const path = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
      const found = await unlessMissing(call((client) => client.request(path, { ...at, pull_number: pullNumber })))
      return found && present(parseAnswer(Pull, found.data))
    },

    async findPullRequestOf({ headSha, branch }) {
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /repos/{owner}/{repo}/pulls', {
            schema: Pull,
            parameters: { ...at, state: 'open', ...(branch === undefined ? {} : { head: `${owner}:${branch}` }) },
            matches: ({ head, base }) =>
              (headSha === undefined || head.sha === headSha) &&
              // A branch of the same name in a fork is another branch.
              (branch === undefined || (head.ref === branch && head.repo?.id === base.repo.id)),
          }),
        ),
      )
      return found && present(found)
    },

    async mayWrite(user) {
      const path = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
      const found = await unlessMissing(call((client) => client.request(path, { ...at, username: user })))
      return found !== undefined && isWriter(parseAnswer(Permission, found.data).permission)
    },

    async findMissing() {
      const found = await unlessMissing(call((client) => client.request('GET /repos/{owner}/{repo}', at)))
      if (!found) return invisible
      const { private: isPrivate, permissions } = parseAnswer(Repository, found.data)
      const scopes = found.headers['x-oauth-scopes']?.split(/,\s*/)
      // Only classic tokens have scopes.
      const lacks = (scope: string) => scopes !== undefined && scopes[0] !== '' && !scopes.includes(scope)
      if (lacks('repo') && (isPrivate || lacks('public_repo'))) {
        return `The token lacks the scope ${isPrivate ? 'repo' : 'public_repo'}.`
      }
      return permissions.push ? undefined : readOnly('write access to commit statuses and pull requests')
    },
  }
}

const Permission = z.object({ permission: z.string() })
const Repository = z.object({
  private: z.boolean().default(true),
  permissions: z.object({ push: z.boolean() }).default({ push: false }),
})

/** GitHub reports the role `maintain` as `write`; `owner` is a permission of Gitea. */
export const isWriter = (permission: string) => ['owner', 'admin', 'maintain', 'write', 'push'].includes(permission)

const statusFields = ({ state, description, context, targetUrl }: HostStatus) => ({
  state: state === 'neutral' ? ('success' as const) : state,
  description: cut(description, 140),
  context,
  target_url: targetUrl,
})

/** Checks whether the latest status of a context is the same. */
export function isSame(found: { state: string; description: string; targetUrl: string }, status: HostStatus): boolean {
  const { state, description, target_url: targetUrl } = statusFields(status)
  return found.state === state && found.description === description && found.targetUrl === (targetUrl ?? '')
}

function present({ number, title, state, html_url: url, head, base }: z.infer<typeof Pull>): PullRequest {
  return {
    number,
    title,
    headSha: head.sha,
    headBranch: head.ref,
    baseBranch: base.ref,
    baseSha: base.sha,
    // If the fork was deleted, the head has no repository.
    isFork: head.repo?.id !== base.repo.id,
    isOpen: state === 'open',
    url,
  }
}

/** Cuts a text to the maximum length of a field. */
export function cut(value: string, max: number): string {
  const fitting = value.length > max ? `${value.slice(0, max - 1)}…` : value
  return fitting.toWellFormed()
}
