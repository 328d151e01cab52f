import { type HostAnswer, type HostRequest, type HostServer, startHostServer } from './host-server.ts'

interface GitLabStatus {
  name: string
  status: string
  description: string | null
  target_url: string | null
}

export interface GitLabHost extends HostServer {
  apiUrl: string
  /** The valid tokens, with their users and scopes. */
  tokens: Map<string, { username: string; scopes: string[] }>
  /** The access level of each member. */
  members: Map<string, number>
  /** By commit, in order of arrival. */
  statuses: Map<string, GitLabStatus[]>
  notes: { id: number; iid: number; body: string; author: { username: string } }[]
  mergeRequests: Map<number, Record<string, unknown>>
}

/** The path of the only project. */
export const gitLabPath = 'shop/web/app'
const project = `/projects/${encodeURIComponent(gitLabPath)}`

/** Starts a server with the part of GitLab's REST API that Assay uses. */
export async function startGitLabHost(): Promise<GitLabHost> {
  const tokens: GitLabHost['tokens'] = new Map()
  const members: GitLabHost['members'] = new Map()
  const statuses: GitLabHost['statuses'] = new Map()
  const mergeRequests: GitLabHost['mergeRequests'] = new Map()
  const notes: GitLabHost['notes'] = []
  let lastId = 100

  const answer = ({ line, query, body, token }: HostRequest): HostAnswer => {
    const user = tokens.get(token)
    if (!user) return { status: 401, body: { message: '401 Unauthorized' } }
    const isWriting = !line.startsWith('GET ')
    if (isWriting && !user.scopes.includes('api')) return { status: 403, body: { error: 'insufficient_scope' } }
    const level = members.get(user.username) ?? 0
    if (line === 'GET /user') return { status: 200, body: { username: user.username } }
    if (line === 'GET /personal_access_tokens/self') return { status: 200, body: { scopes: user.scopes } }
    if (line === 'GET /users') {
      const names = [...members.keys()]
      const id = names.indexOf(query.get('username') ?? '') + 1
      return { status: 200, body: id === 0 ? [] : [{ id, username: names[id - 1] }] }
    }
    const [method, path = ''] = line.split(' ')
    if (!path.startsWith(project) || level === 0) return { status: 404, body: { message: '404 Project Not Found' } }
    const rest = path.slice(project.length)
    if (rest === '') return { status: 200, body: { permissions: { project_access: { access_level: level } } } }
    if (isWriting && level < 30) return { status: 403, body: { message: '403 Forbidden' } }
    const [, memberId] = /^\/members\/all\/(\d+)$/.exec(rest) ?? []
    if (memberId !== undefined) {
      const access = [...members.values()][Number(memberId) - 1]
      return access === undefined
        ? { status: 404, body: {} }
        : { status: 200, body: { access_level: access, state: 'active' } }
    }
    const [, posted] = /^\/statuses\/(\w+)$/.exec(rest) ?? []
    if (posted !== undefined) return postStatus(posted, body)
    const [, listed] = /^\/repository\/commits\/(\w+)\/statuses$/.exec(rest) ?? []
    if (listed !== undefined) {
      const all = (statuses.get(listed) ?? []).filter(({ name }) => name === query.get('name'))
      return { status: 200, body: all.slice(-1) }
    }
    if (rest === '/merge_requests') {
      const all = [...mergeRequests.values()].filter(
        (each) => each['source_branch'] === (query.get('source_branch') ?? each['source_branch']),
      )
      return { status: 200, body: all.map(({ diff_refs: _left, ...each }) => each) }
    }
    const [, iid, note] = /^\/merge_requests\/(\d+)(?:\/notes(?:\/(\d+))?)?$/.exec(rest) ?? []
    const found = mergeRequests.get(Number(iid))
    if (!found) return { status: 404, body: { message: '404 Not found' } }
    if (!rest.includes('/notes')) return { status: 200, body: found }
    const own = notes.filter((each) => each.iid === Number(iid))
    if (method === 'GET') return { status: 200, body: own }
    if (method === 'POST') {
      const created = {
        id: ++lastId,
        iid: Number(iid),
        body: String(body['body']),
        author: { username: user.username },
      }
      notes.push(created)
      return { status: 201, body: created }
    }
    const edited = own.find(({ id }) => id === Number(note))
    if (!edited) return { status: 404, body: { message: '404 Not found' } }
    edited.body = String(body['body'])
    return { status: 200, body: edited }
  }

  /** GitLab changes a status that is pending, refuses its own state, and adds another after the end. */
  const postStatus = (commit: string, body: Record<string, unknown>): HostAnswer => {
    const all = statuses.get(commit) ?? []
    const status: GitLabStatus = {
      name: String(body['name']),
      status: String(body['state']),
      description: (body['description'] as string | undefined) ?? null,
      target_url: (body['target_url'] as string | undefined) ?? null,
    }
    const open = all.findLast((each) => each.name === status.name && each.status === 'pending')
    if (open && status.status === 'pending') {
      return { status: 400, body: { message: 'Cannot transition status via :enqueue from :pending' } }
    }
    if (open) Object.assign(open, status)
    else statuses.set(commit, [...all, status])
    return { status: 201, body: status }
  }

  const server = await startHostServer('/api/v4', answer, 'per_page')
  return Object.assign(server, { apiUrl: `${server.url}/api/v4`, tokens, members, statuses, notes, mergeRequests })
}

export const mergeRequestOf = (iid: number, sha: string, fields: object = {}) => ({
  iid,
  sha,
  title: 'Prices in euros',
  state: 'opened',
  source_branch: 'euros',
  target_branch: 'main',
  source_project_id: 1,
  target_project_id: 1,
  web_url: `https://gitlab.example.com/${gitLabPath}/-/merge_requests/${iid}`,
  diff_refs: { base_sha: '1'.repeat(40), start_sha: '2'.repeat(40), head_sha: sha },
  ...fields,
})
