import { z } from 'zod'
import { statusOf } from '../rest-client.ts'
import { findInPages, invisible, number, once, parseAnswer, readOnly, sha, text, unlessMissing } from './answers.ts'
import type { CallHost, CodeHostApi, HostStatus, PullRequest } from './api.ts'
import { cut } from './github.ts'

const Note = z.object({ id: number, body: z.string(), author: z.object({ username: z.string() }) })
const ListedMergeRequest = z.object({
  iid: number,
  sha: sha.nullish(),
  source_branch: text,
  source_project_id: z.int(),
  target_project_id: z.int(),
})
const MergeRequest = ListedMergeRequest.extend({
  sha,
  title: text,
  target_branch: text,
  state: z.string(),
  web_url: text,
  /** Null until GitLab has computed the changes. */
  diff_refs: z.object({ start_sha: sha.nullish() }).nullish(),
})
const Status = z.object({
  name: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
})
const Access = z.object({ access_level: z.int() }).nullish()
const Project = z.object({ permissions: z.object({ project_access: Access, group_access: Access }).nullish() })
const Token = z.object({ scopes: z.array(z.string()) })

export interface GitLabOptions {
  call: CallHost
  account: string
  place: string
  /** The path of the project with its groups. */
  path: string
}

/** The role from which on members may push. */
const developer = 30

const states = {
  pending: 'pending',
  success: 'success',
  neutral: 'success',
  failure: 'failed',
  error: 'failed',
} as const

/** The API of GitLab: merge requests, notes and commit statuses. */
export function gitLabApi({ call, account, place, path: id }: GitLabOptions): CodeHostApi {
  const username = async () => {
    const { data } = await call((client) => client.request('GET /user'))
    return parseAnswer(z.object({ username: z.string().min(1) }), data).username
  }
  const findPullRequest = async (iid: number) => {
    const found = await unlessMissing(
      call((client) => client.request('GET /projects/{id}/merge_requests/{iid}', { id, iid })),
    )
    return found && present(parseAnswer(MergeRequest, found.data))
  }
  return {
    kind: 'gitlab',
    account,
    place,
    checks: undefined,

    async postStatus(status) {
      await call((client) =>
        client
          .request('POST /projects/{id}/statuses/{sha}', { id, sha: status.commitSha, ...fieldsOf(status) })
          .catch((error: unknown) => {
            // GitLab refuses a state that the status has already, and says so only in its message.
            if (statusOf(error) === 400 && error instanceof Error && /cannot transition/i.test(error.message)) return
            throw error
          }),
      )
    },

    async hasStatus(status) {
      const { name, state, description, target_url: targetUrl } = fieldsOf(status)
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /projects/{id}/repository/commits/{sha}/statuses', {
            schema: Status,
            parameters: { id, sha: status.commitSha, name },
            matches: (each) => each.name === name,
          }),
        ),
      )
      if (!found || found.status !== state) return false
      return (found.description ?? '') === description && (found.target_url ?? null) === (targetUrl ?? null)
    },

    async findComment(iid, beginning) {
      const author = await username()
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /projects/{id}/merge_requests/{iid}/notes', {
            schema: Note,
            parameters: { id, iid, sort: 'asc', order_by: 'created_at' },
            matches: (note) => note.author.username === author && note.body.startsWith(beginning),
          }),
        ),
      )
      return found && { id: String(found.id), body: found.body }
    },

    async createComment(iid, body) {
      const fields = { id, iid, body, ...once }
      const { data } = await call((client) => client.request('POST /projects/{id}/merge_requests/{iid}/notes', fields))
      return { id: String(parseAnswer(Note, data).id), body }
    },

    async editComment(iid, note, body) {
      const path = 'PUT /projects/{id}/merge_requests/{iid}/notes/{note}'
      return (await unlessMissing(call((client) => client.request(path, { id, iid, note, body })))) !== undefined
    },

    findPullRequest,

    async findPullRequestOf({ headSha, branch }) {
      const parameters = { id, state: 'opened', ...(branch === undefined ? {} : { source_branch: branch }) }
      const found = await unlessMissing(
        call((client) =>
          findInPages(client, 'GET /projects/{id}/merge_requests', {
            schema: ListedMergeRequest,
            parameters,
            matches: (each) =>
              (headSha === undefined || each.sha === headSha) &&
              (branch === undefined || each.source_project_id === each.target_project_id),
          }),
        ),
      )
      return found && findPullRequest(found.iid)
    },

    async mayWrite(login) {
      const { data } = await call((client) => client.request('GET /users', { username: login }))
      const [user] = parseAnswer(z.array(z.object({ id: number, username: z.string() })), data)
      if (!user || user.username.toLowerCase() !== login.toLowerCase()) return false
      const path = 'GET /projects/{id}/members/all/{user}'
      const member = await unlessMissing(call((client) => client.request(path, { id, user: user.id })))
      const Member = z.object({ access_level: z.int(), state: z.string().default('active') })
      if (!member) return false
      const { access_level: level, state } = parseAnswer(Member, member.data)
      return level >= developer && state === 'active'
    },

    async findMissing() {
      const found = await unlessMissing(call((client) => client.request('GET /projects/{id}', { id })))
      if (!found) return invisible
      const { permissions } = parseAnswer(Project, found.data)
      const level = Math.max(
        permissions?.project_access?.access_level ?? 0,
        permissions?.group_access?.access_level ?? 0,
      )
      if (level < developer) return readOnly('the scope api')
      const self = await unlessMissing(call((client) => client.request('GET /personal_access_tokens/self')))
      // Tokens of other kinds cannot read themselves.
      const scopes = Token.safeParse(self?.data).data?.scopes
      return scopes === undefined || scopes.includes('api') ? undefined : 'The token lacks the scope api.'
    },
  }
}

const fieldsOf = ({ state, context, description, targetUrl }: HostStatus) => ({
  state: states[state],
  name: context,
  description: cut(description, 255),
  ...(targetUrl === null ? {} : { target_url: targetUrl }),
})

function present(found: z.infer<typeof MergeRequest>): PullRequest {
  return {
    number: found.iid,
    title: found.title,
    headSha: found.sha,
    headBranch: found.source_branch,
    baseBranch: found.target_branch,
    baseSha: found.diff_refs?.start_sha ?? null,
    isFork: found.source_project_id !== found.target_project_id,
    isOpen: found.state === 'opened',
    url: found.web_url,
  }
}
