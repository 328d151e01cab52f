import { z } from 'zod'
import { findInPages, number, once, parseAnswer, sha, text, unlessMissing } from './answers.ts'
import type { CallHost, CodeHostApi, PullRequest } from './api.ts'
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
  const statusFields = ({ state, description, context, targetUrl }: Parameters<CodeHostApi['postStatus']>[0]) => ({
    state: state === 'neutral' ? 'success' : state,
    description: cut(description, 140),
    context,
    target_url: targetUrl,
  })
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
      const { context, ...wanted } = statusFields(status)
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /repos/{owner}/{repo}/commits/{ref}/statuses', {
            schema: Status,
            parameters: { ...at, ref: status.commitSha },
            // The newest is the first.
            matches: (each) => each.context === context,
          }),
        ),
      )
      if (!found) return false
      const { state, description, target_url: targetUrl } = found
      return (
        state === wanted.state &&
        (description ?? '') === wanted.description &&
        (targetUrl ?? null) === wanted.target_url
      )
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
            matches: ({ head }) =>
              (headSha === undefined || head.sha === headSha) && (branch === undefined || head.ref === branch),
          }),
        ),
      )
      return found && present(found)
    },

    async mayWrite(user) {
      const path = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
      const found = await unlessMissing(call((client) => client.request(path, { ...at, username: user })))
      // GitHub reports the role `maintain` as the permission `write`.
      return found !== undefined && ['admin', 'write', 'maintain', 'push'].includes(permissionIn(found.data))
    },
  }
}

export const permissionIn = (data: unknown) => parseAnswer(z.object({ permission: z.string() }), data).permission

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
