import { join } from 'node:path'
import { isThere } from '../files.ts'
import { runGit } from '../git.ts'
import { commitOf, openLocal } from '../local.ts'
import { pathText } from '../path-text.ts'
import { RepositoryError } from '../types.ts'
import { fullPath, insideTree } from '../working-files.ts'
import type { LeftOut } from './left-out.ts'
import { readIndex, type Submodule, TreeCounter } from './read-index.ts'
import { namesOf } from '../too-large.ts'
import { createStagingArea, inTree, nulExchange, onObjects, type StagingArea } from './staging-area.ts'
import { stageTracked } from './stage-files.ts'

interface Bounds {
  maxFiles: number
  maxBytes: number
}

/**
 * Refuses submodules with changes by name, because the server never has the content of a submodule. An unchanged one,
 * or one that is not checked out, stays what it is in a commit: the id of a commit. Returns the submodules with
 * untracked files.
 */
export async function checkSubmodules(
  area: StagingArea,
  submodules: readonly Submodule[],
  headSha: string | undefined,
  bounds: Bounds,
): Promise<LeftOut[]> {
  const changed = new Set<string>()
  for (const name of await stagedSubmodules(area, submodules, headSha)) changed.add(pathText(name))
  const leftOut: LeftOut[] = []
  for (const [index, submodule] of submodules.entries()) {
    const path = pathText(submodule.name)
    if (changed.has(path)) continue
    const state = await stateOf(area, submodule, join(area.gitDir, `submodule-${index}`), bounds)
    if (state === 'changed') changed.add(path)
    if (state === 'untracked') {
      leftOut.push({
        path,
        reason: 'submodule',
        why: 'Untracked files in submodules, and changed ones that pass a filter, are not part of a snapshot.',
      })
    }
  }
  if (changed.size === 0) return leftOut
  throw new RepositoryError(
    'working_tree_refused',
    `A snapshot does not contain changes of submodules: ${namesOf([...changed])}. Commit the changes there and then ` +
      'here, or undo them with git submodule update.',
  )
}

const modesLength = ':000000 160000'.length

/** Submodules whose commit in the index is not the one of HEAD. */
async function stagedSubmodules(
  area: StagingArea,
  submodules: readonly Submodule[],
  headSha: string | undefined,
): Promise<Buffer[]> {
  if (submodules.length === 0) return []
  if (headSha === undefined) return submodules.map(({ name }) => name)
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--ignore-submodules=none', headSha]
  const changed: Buffer[] = []
  let modes: string | undefined
  for await (const record of nulExchange(inTree(area, ...args))) {
    if (modes === undefined) modes = record.toString('latin1', 0, modesLength)
    else {
      if (modes.endsWith(' 160000')) changed.push(record)
      modes = undefined
    }
  }
  return changed
}

async function stateOf(
  area: StagingArea,
  { name, commitSha }: Submodule,
  gitDir: string,
  bounds: Bounds,
): Promise<'unchanged' | 'changed' | 'untracked'> {
  const { signal } = area
  const top = fullPath(area.top, name).toString()
  if (!insideTree(area.top)(name) || !(await isThere(join(top, '.git')))) return 'unchanged'
  const repository = await openLocal(top, signal)
  if ((await commitOf(repository.gitDir, 'HEAD', signal)) !== commitSha) return 'changed'

  const inner = await createStagingArea(top, repository, gitDir, signal)
  const nested = await readIndex(inner, new TreeCounter(bounds.maxFiles))
  const innerLeftOut = await stageTracked(inner, nested, bounds.maxBytes)
  innerLeftOut.push(...(await checkSubmodules(inner, nested, commitSha, bounds)))
  const treeSha = (await runGit(inTree(inner, 'write-tree', '--missing-ok'))).trim()
  const headTree = (await runGit(onObjects(inner, 'rev-parse', '--verify', `${commitSha}^{tree}`))).trim()
  if (treeSha !== headTree) return 'changed'
  if (innerLeftOut.length > 0) return 'untracked'
  for await (const _ of nulExchange(inTree(inner, 'ls-files', '-z', '--others', '--exclude-standard', '--directory'))) {
    return 'untracked'
  }
  return 'unchanged'
}
