import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { arch } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { isErrno, isThere } from '../../engines/source/files.ts'
import { cacheDirectory } from './cache-directory.ts'
import type { Config } from '../config.ts'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { removeTree } from './directories.ts'
import { forgetUnused, holdInstall, markUsed } from './kept-installs.ts'
import type { OpenedSource } from './source.ts'

/** An install that is kept between the runs of a project, and stays at least until whoever got it has disposed of it. */
export interface Dependencies extends Disposable {
  /** A layer for the repository: what the install left in it. */
  layer: string
  /** What `{deps}` begins with. */
  deps: string
}

/** Whose install it is: code of strangers may use what the project's own runs installed, but never the other way round. */
export type Trust = 'own' | 'fork'

/** Names an install by everything that decides what it brings; null for one that is never kept. */
export function installKey(
  install: InstallStep,
  { contentId }: Pick<OpenedSource, 'contentId'>,
  place: { directory: string; executor: string },
): string | null {
  if (install.lockfiles.length === 0) return null
  const hash = createHash('sha256')
  const { argv, environment, folders, fingerprint = null } = install
  const machine = [arch(), process.version, process.env['PATH']]
  hash.update(JSON.stringify([2, argv, environment, folders, fingerprint, place, machine]))
  for (const path of install.lockfiles) hash.update(JSON.stringify([path, contentId(path) ?? null]))
  return hash.digest('hex').slice(0, 32)
}

/** Looks for an install that an earlier run has left. */
export async function findInstall(
  config: Config,
  projectId: string,
  key: string,
  trust: Trust,
): Promise<Dependencies | undefined> {
  for (const owner of trust === 'fork' ? (['own', 'fork'] as const) : (['own'] as const)) {
    const directory = installDirectory(config, projectId, key, owner)
    using holding = new DisposableStack()
    holding.use(holdInstall(directory))
    if (!(await isThere(directory))) continue
    await markUsed(directory)
    return heldDependencies(directory, holding.move())
  }
  return undefined
}

/**
 * Keeps what an install has made: moves its folders out of `written`, which stays as the run's own, and takes `deps`
 * over. Where another run was faster, its result is the same and is used.
 */
export async function keepInstall(
  config: Config,
  projectId: string,
  { key, trust, install, written, deps }: KeptInstall,
): Promise<Dependencies> {
  const directory = installDirectory(config, projectId, key, trust)
  const unfinished = `${directory}.${randomUUID()}`
  const { layer, deps: keptDeps } = dependenciesIn(unfinished)
  await mkdir(layer, { recursive: true })
  for (const folder of await foldersNamed(written, new Set(install.folders))) {
    const target = join(layer, relative(written, folder))
    await mkdir(dirname(target), { recursive: true })
    await rename(folder, target)
  }
  await rename(deps, keptDeps)
  using holding = new DisposableStack()
  holding.use(holdInstall(directory))
  try {
    await rename(unfinished, directory)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
    await removeTree(unfinished)
  }
  await markUsed(directory)
  await forgetUnused(dirname(directory))
  return heldDependencies(directory, holding.move())
}

interface KeptInstall {
  key: string
  trust: Trust
  install: InstallStep
  /** Where the install's writes to the repository are. */
  written: string
  deps: string
}

const dependenciesIn = (directory: string) => ({ layer: join(directory, 'layer'), deps: join(directory, 'deps') })

const heldDependencies = (directory: string, holding: Disposable): Dependencies => ({
  ...dependenciesIn(directory),
  [Symbol.dispose]: () => holding[Symbol.dispose](),
})

const installDirectory = (config: Config, projectId: string, key: string, trust: Trust) =>
  join(cacheDirectory(config, projectId), 'installs', `${trust}-${key}`)

/** Folders of these names, at any depth but not within one another; links are not followed. */
async function foldersNamed(directory: string, names: ReadonlySet<string>): Promise<string[]> {
  if (names.size === 0) return []
  const entries = await readdir(directory, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() && entry.name !== '.git')
      .map(async (entry) => {
        const path = join(directory, entry.name)
        return names.has(basename(path)) ? [path] : foldersNamed(path, names)
      }),
  )
  return found.flat()
}
