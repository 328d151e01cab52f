import { conflict } from '../base/errors.ts'
import { decrypt, encrypt } from '../base/crypto.ts'
import type { CodeHostContext } from '../code-host/context.ts'
import type { CallHost, CodeHostApi } from '../code-host/hosts/api.ts'
import { giteaApi } from '../code-host/hosts/gitea.ts'
import { gitHubApi } from '../code-host/hosts/github.ts'
import { gitLabApi } from '../code-host/hosts/gitlab.ts'
import { outboundSend } from '../code-host/outbound-send.ts'
import { createClient, explainRefusal, statusOf } from '../code-host/rest-client.ts'
import type { CodeHostKind } from '../code-host/schema.ts'
import type { Config } from '../config.ts'
import { pathAtHost } from './api-url.ts'
import { loginOf } from './login-of.ts'

const placeOf = (projectId: string) => `code_host_connections/${projectId}/token`

type Key = Pick<Config, 'secretKey'>

export const encryptToken = ({ secretKey }: Key, projectId: string, token: string): string =>
  encrypt(secretKey, placeOf(projectId), token)

export const decryptToken = ({ secretKey }: Key, projectId: string, token: string): string =>
  decrypt(secretKey, placeOf(projectId), token)

const wording = {
  account: 'the token of the connection',
  advice: 'Set a token with access to the repository and the scopes that docs/code-host.md names.',
}

export interface ConnectedRepository {
  projectId: string
  repository: string
  kind: CodeHostKind
  apiUrl: string
  /** Not encrypted. */
  token: string
}

/** Returns the API of a code host with the token of a connection; undefined if the repository is not there. */
export function connectedHost(ctx: CodeHostContext, connected: ConnectedRepository): CodeHostApi | undefined {
  const { projectId, kind, apiUrl, token } = connected
  const path = pathAtHost(apiUrl, connected.repository)
  if (path === undefined) return undefined
  const account = `connection-${projectId}`
  const call: CallHost = async (work) => {
    const send = outboundSend(ctx.config.outboundAllowCidrs)
    try {
      return await work(createClient({ apiUrl, token, account, signal: ctx.signal, send }))
    } catch (error) {
      if (statusOf(error) !== 401) throw explainRefusal(error, ctx.now(), wording)
      throw conflict('The code host rejects the token: it is wrong, was revoked or has expired. Set another one.')
    }
  }
  const common = { call, account, place: `${kind} ${apiUrl} ${path}` }
  if (kind === 'gitlab') return gitLabApi({ ...common, path })
  const [owner, name, ...more] = path.split('/')
  if (owner === undefined || name === undefined || more.length > 0) return undefined
  const options = { ...common, repository: { owner, name }, login: () => loginOf(call) }
  return kind === 'gitea' ? giteaApi(options) : gitHubApi(options)
}
