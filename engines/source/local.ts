import { readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { RepositoryError } from './types.ts'
import { makeBareRepository, type ObjectFormat } from './bare-repository.ts'
import { isErrno, isThere } from './files.ts'
import { GitError, runGit } from './git.ts'
import { type BaseReference, baseMissing, isLikeCommit, parseBaseReference } from './base-reference.ts'
import { branchMissing, commitMissing, type CommitRef } from './reference.ts'

/** The branches of the remote `origin`, as the last fetch left them. */
export const originBranches = 'refs/remotes/origin'

/** A repository of this machine. */
export interface LocalRepository {
  /** As the user knows it. */
  path: string
  gitDir: string
  /** Where its objects and branches are; another folder than `gitDir` for a linked working tree. */
  commonDir: string
  format: ObjectFormat
  /** The checked-out commit and its branch; undefined before the first commit. */
  head: LocalCommit | undefined
}

export interface LocalCommit {
  commitSha: string
  /** Undefined if a commit is checked out instead of a branch. */
  branch: string | undefined
}

/**
 * Finds the repository at exactly this path. Its own settings are read by the few commands that run in it, which look
 * up names and start nothing; objects are read through `borrowObjects`, where its settings are out of sight.
 */
export async function openLocal(path: string, signal: AbortSignal): Promise<LocalRepository> {
  const missing = new RepositoryError('not_a_repository', `There is no git repository at ${path}.`)
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) throw missing
  // A folder that looks like a repository may be a working tree's own; the one inside of it is meant first.
  for (const gitDir of [join(real, '.git'), real]) {
    if (!(await isThere(gitDir))) continue
    const ask = (...args: string[]) =>
      runGit({ args: ['rev-parse', ...args], gitDir, cwd: real, signal }).catch((error: unknown) => {
        if (error instanceof GitError) return undefined
        // The path is a file.
        if (isErrno(error, 'ENOTDIR', 'EACCES')) return undefined
        throw error
      })
    const place = ['--absolute-git-dir', '--git-common-dir', '--show-object-format']
    const answer = (await ask(...place, 'HEAD^{commit}', '--symbolic-full-name', 'HEAD')) ?? (await ask(...place))
    const [absolute, common, format, commitSha = '', name = ''] = answer?.split('\n') ?? []
    if (absolute && common && (format === 'sha1' || format === 'sha256')) {
      const head = name === '' ? undefined : { commitSha, branch: branchIn(name) }
      return { path, gitDir: absolute, commonDir: resolve(real, common), format, head }
    }
  }
  throw missing
}

export async function resolveLocalRef(
  repository: LocalRepository,
  ref: CommitRef,
  signal: AbortSignal,
): Promise<LocalCommit> {
  const lookUp = (name: string) => commitOf(repository.gitDir, name, signal)
  if (ref.commitSha !== undefined) {
    if (ref.commitSha === repository.head?.commitSha) return { commitSha: ref.commitSha, branch: ref.branch }
    const commitSha = await lookUp(ref.commitSha)
    if (commitSha !== ref.commitSha) throw commitMissing(ref.commitSha)
    return { commitSha, branch: ref.branch }
  }
  if (ref.branch === undefined && repository.head) return repository.head
  const branch = ref.branch ?? (await currentBranch(repository.gitDir, signal))
  const places = ['refs/heads', 'refs/tags', originBranches]
  const names = branch === undefined ? ['HEAD'] : places.map((place) => `${place}/${branch}`)
  for (const name of names) {
    const commitSha = await lookUp(name)
    if (commitSha !== undefined) return { commitSha, branch }
  }
  const branches = await runGit({
    args: ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/'],
    gitDir: repository.gitDir,
    signal,
  })
  throw branchMissing(
    ref.branch,
    branches.split('\n').filter((name) => name !== ''),
  )
}

/**
 * Finds the last commit that a commit has in common with a branch, a tag or a commit of a local repository. Returns
 * undefined if they have none.
 *
 * @param historyDir - the repository that has the commit, where it is another one
 * @throws RepositoryError with the code `reference_not_found`
 */
export async function localMergeBase(
  repository: LocalRepository,
  commitSha: string,
  text: string,
  signal: AbortSignal,
  historyDir = repository.gitDir,
): Promise<string | undefined> {
  const { gitDir } = repository
  const reference = parseBaseReference(text)
  const [first = '', ...others] = possibleNames(reference, commitSha)
  if (historyDir === gitDir) {
    // Mostly it is a branch, which git then need not look up first.
    const base = await mergeBase(gitDir, `${first}${reference.suffix}^{commit}`, commitSha, signal)
    if (base !== undefined) return base
  }
  for (const name of [first, ...others]) {
    const found = await commitOf(gitDir, `${name}${reference.suffix}`, signal)
    if (found === undefined) continue
    return mergeBase(historyDir, found, commitSha, signal)
  }
  if (reference.name === 'HEAD') return undefined
  const listed = await runGit({
    args: ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/', 'refs/tags/', 'refs/remotes/'],
    gitDir,
    signal,
  })
  throw baseMissing(
    text,
    listed.split('\n').filter((name) => name !== ''),
  )
}

function possibleNames({ name }: BaseReference, commitSha: string): string[] {
  if (name === 'HEAD') return [commitSha]
  const references = ['heads/', 'tags/', 'remotes/', 'remotes/origin/'].map((place) => `refs/${place}${name}`)
  return isLikeCommit(name) ? [...references, name] : references
}

/** Returns the last commit that two commits have in common; undefined if they have none, or if one is missing. */
export async function mergeBase(
  gitDir: string,
  one: string,
  other: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const [base = ''] = (await runGit({ args: ['merge-base', one, other], gitDir, signal })).split('\n')
    return base === '' ? undefined : base
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** Returns the commit of a full reference name or an id, or undefined. */
export async function commitOf(gitDir: string, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const args = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]
    return (await runGit({ args, gitDir, signal })).trim()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** Returns the branch of a full name. Git's short names of branches are longer where a tag has the same name. */
const branchIn = (name: string): string | undefined =>
  name.startsWith(localBranches) ? name.slice(localBranches.length) : undefined

const localBranches = 'refs/heads/'

/** Also works for a branch without commits. Returns undefined if HEAD is a commit instead of a branch. */
export async function currentBranch(gitDir: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return branchIn((await runGit({ args: ['symbolic-ref', '--quiet', 'HEAD'], gitDir, signal })).replace(/\n$/, ''))
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/**
 * Returns the default branch of a repository: that of its remote, or the one that the settings name for new repositories,
 * or `main`, `master`, the only one, the one that is checked out, or the first of those that contain the commit that is
 * checked out. Undefined if none of these exists here.
 */
export async function defaultBranchOf({ gitDir }: LocalRepository, signal: AbortSignal): Promise<string | undefined> {
  const listed = await runGit({
    args: ['for-each-ref', '--format=%(refname)%00%(symref)', 'refs/heads/', originBranches],
    gitDir,
    signal,
  })
  const targets = new Map(
    listed.split('\n').map((line): [string, string] => {
      const [name = '', target = ''] = line.split('\0')
      return [name, target]
    }),
  )
  const ofRemote = targets.get(`${originBranches}/HEAD`) ?? ''
  if (ofRemote.startsWith(`${originBranches}/`) && targets.has(ofRemote))
    return ofRemote.slice(originBranches.length + 1)
  const branches = [...targets.keys()].flatMap((name) =>
    name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : [],
  )
  const usual = [await initialBranch(gitDir, signal), 'main', 'master'].find(
    (name) => name !== undefined && branches.includes(name),
  )
  if (usual !== undefined) return usual
  if (branches.length <= 1) return branches[0]
  const current = await currentBranch(gitDir, signal)
  if (current !== undefined && branches.includes(current)) return current
  const args = ['for-each-ref', '--contains=HEAD', '--format=%(refname:lstrip=2)', 'refs/heads/']
  const [containing = ''] = (await runGit({ args, gitDir, signal })).trim().split('\n')
  return containing === '' ? undefined : containing
}

/** Returns the name that the repository, the user and the machine set for the first branch of new repositories. */
async function initialBranch(gitDir: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const environment = { HOME: homedir(), GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined }
    return (await runGit({ args: ['config', '--get', 'init.defaultBranch'], gitDir, environment, signal })).trim()
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/**
 * Makes a bare repository that reads the objects of a local one in place. Nothing is copied, and git, working in ours,
 * never sees the hooks, filters and programs that the other one's settings may name.
 */
export async function borrowObjects(repository: LocalRepository, gitDir: string): Promise<void> {
  const shallow = await readFile(join(repository.commonDir, 'shallow')).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  })
  await makeBareRepository(gitDir, repository.format, { objects: [join(repository.commonDir, 'objects')], shallow })
}
