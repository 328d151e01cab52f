import { type HostAnswer, type HostRequest, type HostServer, startHostServer } from './host-server.ts'

export interface GiteaHost extends HostServer {
  apiUrl: string
  /** The valid tokens, with their users. */
  tokens: Map<string, { login: string }>
  /** The permission of each collaborator: `read`, `write`, `admin` or `owner`. */
  collaborators: Map<string, string>
  /** By commit, in order of arrival. */
  statuses: Map<string, Record<string, unknown>[]>
  comments: { id: number; number: number; body: string; user: { login: string } }[]
  pullRequests: Map<number, Record<string, unknown>>
}

/** The path of the only repository. */
export const giteaPath = 'shop/app'

/** Starts a server with the part of Gitea's REST API that Assay uses. */
export async function startGiteaHost(): Promise<GiteaHost> {
  const tokens: GiteaHost['tokens'] = new Map()
  const collaborators: GiteaHost['collaborators'] = new Map()
  const statuses: GiteaHost['statuses'] = new Map()
  const pullRequests: GiteaHost['pullRequests'] = new Map()
  const comments: GiteaHost['comments'] = []
  let lastId = 100

  const answer = ({ line, body, token }: HostRequest): HostAnswer => {
    const user = tokens.get(token)
    if (!user) return { status: 401, body: { message: 'invalid username, password or token' } }
    if (line === 'GET /user') return { status: 200, body: { login: user.login } }
    const [method, path = ''] = line.split(' ')
    const permission = collaborators.get(user.login)
    if (!path.startsWith(`/repos/${giteaPath}`) || !permission) return { status: 404, body: { message: 'not found' } }
    const rest = path.slice(`/repos/${giteaPath}`.length)
    const mayPush = permission !== 'read'
    if (rest === '') return { status: 200, body: { permissions: { push: mayPush } } }
    if (method !== 'GET' && !mayPush) return { status: 403, body: { message: 'forbidden' } }
    const [, login] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? []
    if (login !== undefined) {
      const found = collaborators.get(login)
      return found === undefined ? { status: 404, body: {} } : { status: 200, body: { permission: found } }
    }
    const [, posted] = /^\/statuses\/(\w+)$/.exec(rest) ?? []
    if (posted !== undefined) {
      const { state, ...others } = body
      const status = { ...others, status: state }
      statuses.set(posted, [...(statuses.get(posted) ?? []), status])
      return { status: 201, body: status }
    }
    const [, listed] = /^\/commits\/(\w+)\/statuses$/.exec(rest) ?? []
    if (listed !== undefined) return { status: 200, body: (statuses.get(listed) ?? []).toReversed() }
    if (rest === '/pulls') return { status: 200, body: [...pullRequests.values()] }
    const [, pull] = /^\/pulls\/(\d+)$/.exec(rest) ?? []
    if (pull !== undefined) {
      const found = pullRequests.get(Number(pull))
      return found ? { status: 200, body: found } : { status: 404, body: {} }
    }
    const [, comment] = /^\/issues\/comments\/(\d+)$/.exec(rest) ?? []
    if (comment !== undefined) {
      const found = comments.find(({ id }) => id === Number(comment))
      if (!found) return { status: 404, body: {} }
      found.body = String(body['body'])
      return { status: 200, body: found }
    }
    const [, issue] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? []
    if (!pullRequests.has(Number(issue))) return { status: 404, body: {} }
    if (method === 'GET') return { status: 200, body: comments.filter((each) => each.number === Number(issue)) }
    const created = { id: ++lastId, number: Number(issue), body: String(body['body']), user: { login: user.login } }
    comments.push(created)
    return { status: 201, body: created }
  }

  const server = await startHostServer('/api/v1', answer, 'limit')
  return Object.assign(server, {
    apiUrl: `${server.url}/api/v1`,
    tokens,
    collaborators,
    statuses,
    comments,
    pullRequests,
  })
}

export const giteaPullRequestOf = (number: number, sha: string, { headId = 1 } = {}) => ({
  number,
  title: 'Prices in euros',
  state: 'open',
  html_url: `https://gitea.example.com/${giteaPath}/pulls/${number}`,
  head: { sha, ref: 'euros', repo: { id: headId } },
  base: { sha: '2'.repeat(40), ref: 'main', repo: { id: 1 } },
})
