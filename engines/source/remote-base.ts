import { baseMissing, type BaseReference, isLikeCommit, parseBaseReference } from './base-reference.ts'
import { type Clone, fetchInto, gitDirOf, isMade } from './clone.ts'
import { GitError } from './git.ts'
import { commitOf, mergeBase } from './local.ts'
import { listBranchesAndTags, type RemoteCommit } from './remote.ts'
import type { SourceLimits } from './types.ts'

interface Question {
  clone: Clone
  /** Where the fetched commit came from. */
  target: RemoteCommit
  fetchedSha: string
  /** The analyzed commit: the fetched one, or a snapshot on top of it. */
  commitSha: string
  history: Promise<{ gitDir: string } | { unknown: string }>
  limits: SourceLimits
  signal: AbortSignal
}

/**
 * Finds the last commit that a fetched commit has in common with a branch, a tag or a commit of the server. Asks the
 * server only for what the history of the fetched commit does not say. Returns undefined if they have none.
 */
export async function findRemoteBase(question: Question, text: string): Promise<string | undefined> {
  const { commitSha, target, signal } = question
  const reference = parseBaseReference(text)
  const historyDir = await directoryOf(question)
  const inHistory = async (name: string) => {
    if (historyDir === undefined) return undefined
    const found = await commitOf(historyDir, name, signal)
    return found === undefined ? undefined : mergeBase(historyDir, found, commitSha, signal)
  }
  if (reference.name === 'HEAD') {
    return reference.suffix === '' ? commitSha : inHistory(`${commitSha}${reference.suffix}`)
  }
  const listed = await listBranchesAndTags(target.remote, signal)
  const named = findNamed(listed, reference)
  const known = await inHistory(`${named?.commitSha ?? commitName(reference)}${reference.suffix}`)
  if (known !== undefined) return known
  const isWholeId = reference.name.length === 40 || reference.name.length === 64
  if (!named && !(isLikeCommit(reference.name) && isWholeId)) throw baseMissing(text, shortNames(listed))
  const source = named ?? { commitSha: reference.name, source: reference.name }
  return fetchBoth(question, source, reference.suffix, text)
}

/** What is no branch and no tag may be the beginning of a commit's id. Other names are no names of commits here. */
const commitName = ({ name }: BaseReference) => (isLikeCommit(name) ? name : 'refs/assay/none')

async function directoryOf({ history }: Question): Promise<string | undefined> {
  const source = await history.catch(() => undefined)
  return source && 'gitDir' in source ? source.gitDir : undefined
}

interface Source {
  commitSha: string
  /** What to ask the server for. */
  source: string
}

function findNamed(listed: ReadonlyMap<string, string>, { name }: BaseReference): Source | undefined {
  // A checkout calls the branches of its server so.
  const names = [name, ...(name.startsWith('origin/') ? [name.slice('origin/'.length)] : [])]
  for (const source of names.flatMap((one) => [`refs/heads/${one}`, `refs/tags/${one}`])) {
    const commitSha = listed.get(`${source}^{}`) ?? listed.get(source)
    if (commitSha !== undefined) return { commitSha, source }
  }
  return undefined
}

const shortNames = (listed: ReadonlyMap<string, string>) =>
  [...listed.keys()].filter((name) => !name.endsWith('^{}')).map((name) => name.replace(/^refs\/(?:heads|tags)\//, ''))

/** Fetches the histories of both without their files, unless they are kept from an earlier question. */
async function fetchBoth(
  { clone, target, fetchedSha, limits, signal }: Question,
  { commitSha: otherSha, source }: Source,
  suffix: string,
  text: string,
): Promise<string | undefined> {
  const gitDir = gitDirOf(clone.directory, 'base')
  const find = async () => {
    if (!(await isMade(clone, 'base'))) return undefined
    const other = await commitOf(gitDir, `${otherSha}${suffix}`, signal)
    return other === undefined ? undefined : mergeBase(gitDir, other, fetchedSha, signal)
  }
  const kept = await find()
  if (kept !== undefined) return kept
  await fetchInto(clone, 'base', {
    remote: target.remote,
    refspecs: [`+${source}:refs/assay/base`, `+${target.refspecSource}:refs/assay/commit`],
    depth: limits.historyCommits + 1,
    filter: 'tree:0',
    signal,
  }).catch((error: unknown) => {
    // A server that does not know the commit, or does not give it out.
    if (error instanceof GitError && /not our ref|unadvertised object|remote error/.test(error.stderr))
      throw baseMissing(text, [])
    throw error
  })
  return find()
}
