import { isIP } from 'node:net'
import { isListed, resolveAllowed } from '../network/addresses.ts'
import { defaultSourceLimits, RepositoryError } from './types.ts'
import type { ObjectFormat } from './bare-repository.ts'
import { explainOutbound, explainRemoteFailure, withDeadline } from './errors.ts'
import { GitError, type GitSetting, runGit } from './git.ts'
import { defaultBranchOf, openLocal, resolveLocalRef } from './local.ts'
import { branchMissing, type CommitRef } from './reference.ts'
import { isValidBranchName, parseRepositoryUrl, type RepositoryUrl } from './url.ts'

/** Which repository, and what it takes to be allowed to read it. */
export interface RepositorySource {
  url: string
  /** Absolute paths and `file://` are accepted. */
  allowLocal: boolean
  /** Private networks that may be reached, see `engines/network/addresses.ts`; http is for these only. */
  allowCidrs: readonly string[]
  credential?: { username: string; password: string }
}

/** A server that was resolved and vetted: git connects to these addresses and to nothing else. */
export interface Remote {
  url: string
  host: string
  network: 'https' | 'http'
  settings: GitSetting[]
  /** Must not appear in messages or logs. */
  secrets: string[]
}

/** The commit to which a reference points on the server now. */
export interface RemoteCommit {
  /** Differs from the one asked for where the server calls the repository by another name. */
  remote: Remote
  commitSha: string
  branch: string | undefined
  /** A branch or tag points to it, so it belongs to the repository and not to a fork. */
  isTip: boolean
  /** What to ask the server for. */
  refspecSource: string
  format: ObjectFormat
}

const stallSeconds = 30

/**
 * The commit that an analysis of this reference would be made of now; asks the server but fetches nothing. Without a
 * branch in `ref`, `defaultBranch` is that of the repository.
 */
export async function resolveRemoteCommit(
  options: RepositorySource & { ref: CommitRef; signal: AbortSignal; timeoutMs?: number },
): Promise<{ commitSha: string; branch: string | undefined; defaultBranch?: string | undefined }> {
  const { ref } = options
  const location = checkedLocation(options, ref)
  if (ref.commitSha !== undefined) return { commitSha: ref.commitSha, branch: ref.branch }
  const milliseconds = options.timeoutMs ?? defaultSourceLimits.fetchTimeoutMs
  return withDeadline({ signal: options.signal, milliseconds, what: 'Looking up the commit' }, async (signal) => {
    if (location.kind === 'local') {
      const repository = await openLocal(location.path, signal)
      const found = await resolveLocalRef(repository, ref, signal)
      return ref.branch === undefined ? { ...found, defaultBranch: await defaultBranchOf(repository, signal) } : found
    }
    const { commitSha, branch } = await findRemoteCommit(await reachRemote(location, options, signal), ref, signal)
    return { commitSha, branch, ...(ref.branch === undefined && { defaultBranch: branch }) }
  })
}

/** Refuses what could be mistaken for something else than a URL, a branch and a commit before any of it is used. */
export function checkedLocation(source: RepositorySource, ref: CommitRef): RepositoryUrl {
  const location = parseRepositoryUrl(source.url, source)
  if (ref.branch !== undefined && !isValidBranchName(ref.branch)) {
    throw new RepositoryError('branch_not_found', `${JSON.stringify(ref.branch)} is not a valid branch name.`)
  }
  if (ref.commitSha !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref.commitSha)) {
    throw new RepositoryError(
      'commit_not_found',
      'A commit must be given as its full id of 40 or 64 hexadecimal digits.',
    )
  }
  return location
}

export async function reachRemote(
  location: Extract<RepositoryUrl, { kind: 'remote' }>,
  source: RepositorySource,
  signal: AbortSignal,
): Promise<Remote> {
  const { hostname, port, origin, protocol, url } = location
  let addresses
  try {
    addresses = await resolveAllowed(hostname, source.allowCidrs, signal)
  } catch (error) {
    throw explainOutbound(error)
  }
  if (protocol === 'http' && !addresses.every((address) => isListed(address, source.allowCidrs))) {
    throw new RepositoryError(
      'url_refused',
      `Plain http is only for the networks that OUTBOUND_ALLOW_CIDRS names, and ${hostname} is in none of them. Use https.`,
    )
  }
  const settings: GitSetting[] = [
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', String(stallSeconds)],
  ]
  // A host that is an address needs no look-up that could come out otherwise the next time.
  if (isIP(hostname) === 0) {
    settings.push(['http.curloptResolve', `${hostname}:${port}:${addresses.map(bracketed).join(',')}`])
  }
  const secrets: string[] = []
  if (source.credential) {
    const { username, password } = source.credential
    const token = Buffer.from(`${username}:${password}`).toString('base64')
    settings.push([`http.${origin}/.extraHeader`, `Authorization: Basic ${token}`])
    secrets.push(token, password)
  }
  return { url, host: hostname, network: protocol, settings, secrets }
}

/** What `findRemoteCommit` returns for a commit id, without asking the server. */
export function knownCommit(remote: Remote, commitSha: string, branch: string | undefined): RemoteCommit {
  return { remote, commitSha, branch, isTip: false, refspecSource: commitSha, format: formatOf(commitSha) }
}

/** Looks the reference up. A commit id is taken as it is: whether the server gives it out shows when it is fetched. */
export async function findRemoteCommit(remote: Remote, ref: CommitRef, signal: AbortSignal): Promise<RemoteCommit> {
  const names =
    ref.branch === undefined
      ? ['HEAD']
      : [`refs/heads/${ref.branch}`, `refs/tags/${ref.branch}`, `refs/tags/${ref.branch}^{}`]
  const listed = await listRefs(remote, names, signal)
  const found = (name: string, branch: string | undefined, refspecSource = name): RemoteCommit | undefined => {
    const commitSha = listed.ids.get(`${name}^{}`) ?? listed.ids.get(name)
    if (commitSha === undefined || (ref.commitSha !== undefined && ref.commitSha !== commitSha)) return undefined
    const isTip = branch !== undefined
    return { remote: listed.remote, commitSha, branch, isTip, refspecSource, format: formatOf(commitSha) }
  }
  const tip =
    ref.branch === undefined
      ? found('HEAD', listed.headBranch, listed.headBranch && `refs/heads/${listed.headBranch}`)
      : (found(`refs/heads/${ref.branch}`, ref.branch) ?? found(`refs/tags/${ref.branch}`, ref.branch))
  if (tip) return { ...tip, branch: ref.commitSha === undefined ? tip.branch : ref.branch }
  if (ref.commitSha !== undefined) {
    return knownCommit(listed.remote, ref.commitSha, ref.branch)
  }
  const { ids } = await listRefs(listed.remote, ['refs/heads/*'], signal)
  throw branchMissing(
    ref.branch,
    [...ids.keys()].map((name) => name.replace(/^refs\/heads\//, '')),
  )
}

/** What the branches and tags stand at, by their full names; what an annotated tag leads to by its name with `^{}`. */
export async function listBranchesAndTags(remote: Remote, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  return (await listRefs(remote, [], signal, ['--heads', '--tags'])).ids
}

const formatOf = (commitSha: string): ObjectFormat => (commitSha.length === 64 ? 'sha256' : 'sha1')

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address)

async function listRefs(remote: Remote, names: string[], signal: AbortSignal, options: string[] = []) {
  let reached = remote
  let output
  try {
    output = await lsRemote(remote, names, signal, options)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    // Some hosts know a repository only with this ending, and redirect to it.
    reached = { ...remote, url: `${remote.url.replace(/(?<!\/)\/+$/, '')}.git` }
    const redirected = /returned error: 30[1278]/.test(error.stderr) && !remote.url.endsWith('.git')
    output = redirected ? await lsRemote(reached, names, signal, options).catch(() => undefined) : undefined
    if (output === undefined) throw explainRemoteFailure(error, remote.host, remote.secrets)
  }
  const ids = new Map<string, string>()
  let headBranch: string | undefined
  for (const line of output.split('\n')) {
    const [value = '', name = ''] = line.split('\t')
    if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value)) ids.set(name, value)
    // The server may send any text as target of its HEAD.
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(value) ?? []
    if (branch !== undefined && name === 'HEAD' && isValidBranchName(branch)) headBranch = branch
  }
  return { remote: reached, ids, headBranch }
}

const lsRemote = (remote: Remote, names: string[], signal: AbortSignal, options: string[]) =>
  runGit({
    args: ['ls-remote', '--quiet', '--symref', ...options, '--', remote.url, ...names],
    network: { protocol: remote.network, maxFileBytes: 0 },
    settings: remote.settings,
    signal,
  })
