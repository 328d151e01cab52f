import { type Clone, discardPart, fetchInto, gitDirOf } from './clone.ts'
import { bytesBelow } from './files.ts'
import { runGit } from './git.ts'
import { commitOf, type LocalRepository, originBranches } from './local.ts'
import { listBranchesAndTags, type Remote } from './remote.ts'

/** Code hosts also serve commits of forks by their ids, as if these belonged to the repository. */
export interface BranchQuestion {
  commitSha: string
  /** Branches to look at first. */
  likely: readonly string[]
  /** Whether to look at no other branches, and at no tags. */
  isOnly?: boolean
}

/** How far back from the tips a commit is looked for. */
const recentCommits = 1_000
/** How far at first: most that are no tip any more were one a moment ago. */
const latestCommits = 50

export async function isOnLocalBranch(
  { gitDir }: LocalRepository,
  { commitSha, likely, isOnly = false }: BranchQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  // The default branch of a clone may exist as the branch of its remote only.
  const ofOrigin = likely.map((name) => `${originBranches}/${name}`)
  const own = [...(isOnly ? likely.map((name) => `refs/heads/${name}`) : ['refs/heads', 'refs/tags']), ...ofOrigin]
  return (
    (await someRef(gitDir, `--points-at=${commitSha}`, own, signal)) ||
    (await someRef(gitDir, `--contains=${commitSha}`, own, signal))
  )
}

/** Asks the server what its branches and tags stand at, and fetches their recent history only if none is at the commit. */
export async function isOnRemoteBranch(
  clone: Clone,
  remote: Remote,
  { commitSha, likely, isOnly = false }: BranchQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  const listed = await listBranchesAndTags(remote, signal)
  const wanted = [...listed].filter(([name]) => !isOnly || likely.some((branch) => name === `refs/heads/${branch}`))
  if (wanted.some(([, tip]) => tip === commitSha)) return true
  // A server that cannot leave out the files sends all their versions.
  const maxBytes = Math.min(clone.maxBytes, (await bytesBelow(clone.directory)) + Math.floor(clone.maxBytes / 4))
  const gitDir = gitDirOf(clone.directory, 'ancestry')
  try {
    for (const { refspec, depth } of historiesToAsk(
      wanted.map(([name]) => name),
      likely,
    )) {
      await fetchInto(clone, 'ancestry', { remote, refspecs: [refspec], depth, filter: 'tree:0', maxBytes, signal })
      const known = (await commitOf(gitDir, commitSha, signal)) === commitSha
      if (known && (await someRef(gitDir, `--contains=${commitSha}`, ['refs/assay'], signal))) return true
    }
    return false
  } finally {
    // What it knows of branches is of this moment only.
    await discardPart(clone.directory, 'ancestry')
  }
}

interface HistoryToAsk {
  refspec: string
  depth: number
  isLikely: boolean
}

/** Lists the fetches that look for a commit, the cheapest first. `listed` are full names of branches and tags. */
export function historiesToAsk(listed: readonly string[], likely: readonly string[]): HistoryToAsk[] {
  const first = [...new Set(likely)].filter((name) => listed.includes(`refs/heads/${name}`))
  const branches = listed.filter((name) => name.startsWith('refs/heads/'))
  const ask = (name: string, depth: number, isLikely = false) => ({
    refspec: `+refs/${name}:refs/assay/${name}`,
    depth,
    isLikely,
  })
  return [
    ...first.map((name) => ask(`heads/${name}`, latestCommits, true)),
    ...first.map((name) => ask(`heads/${name}`, recentCommits, true)),
    ...(branches.length > first.length ? [ask('heads/*', recentCommits)] : []),
    ...(listed.length > branches.length ? [ask('tags/*', recentCommits)] : []),
  ]
}

async function someRef(gitDir: string, condition: string, below: string[], signal: AbortSignal): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', condition, ...below]
  return (await runGit({ args, gitDir, signal })) !== ''
}
