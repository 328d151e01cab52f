import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { arch } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isErrno, isThere } from '../../engines/source/files.ts'
import { cacheDirectory } from './cache-directory.ts'
import type { Config } from '../config.ts'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { makeFolderLike, moveTree, removeSetuidBits, removeTree } from './directories.ts'
import { forgetUnused, holdInstall, markUsed } from './kept-installs.ts'
import type { OpenedSource } from './source.ts'

/** An install that is kept between the runs of a project. It is not deleted before the holder disposes of it. */
export interface Dependencies extends Disposable {
  /** A layer with the files that the install wrote into the repository. */
  layer: string
  /** The initial contents of `{deps}`. */
  deps: string
}

/** Who created an install. Runs of forks may use installs of the project's own runs, but never the other way round. */
export type Trust = 'own' | 'fork'

/** Returns a key of everything that the result of an install depends on, or null for an install that is never kept. */
export function installKey(
  install: InstallStep,
  { contentId }: Pick<OpenedSource, 'contentId'>,
  place: { directory: string; executor: string },
): string | null {
  if (install.lockfiles.length === 0) return null
  const hash = createHash('sha256')
  const { argv, environment, folders, fingerprint = null } = install
  const machine = [arch(), process.version, process.env['PATH']]
  hash.update(JSON.stringify([3, argv, environment, folders, fingerprint, place, machine]))
  for (const path of install.lockfiles) hash.update(JSON.stringify([path, contentId(path) ?? null]))
  return hash.digest('hex').slice(0, 32)
}

/** Finds an install of an earlier run. */
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
 * Keeps an install: moves its folders out of `written` and takes over `deps`. If another run has kept the same install
 * in the meantime, uses that one.
 */
export async function keepInstall(
  config: Config,
  projectId: string,
  { key, trust, install, written, deps }: KeptInstall,
): Promise<Dependencies> {
  const directory = installDirectory(config, projectId, key, trust)
  const unfinished = `${directory}.${randomUUID()}`
  const { layer, deps: keptDeps } = dependenciesIn(unfinished)
  await mkdir(unfinished, { recursive: true })
  await makeFolderLike(layer, written)
  for (const folder of await foldersNamed(written, new Set(install.folders))) {
    const path = relative(written, folder)
    for (const above of foldersAbove(path)) await makeFolderLike(join(layer, above), join(written, above))
    await moveTree(folder, join(layer, path))
  }
  await moveTree(deps, keptDeps)
  await removeSetuidBits(unfinished)
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
  /** The folder with the files that the install wrote into the repository. */
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

/** Returns `a` and `a/b` for `a/b/c`. */
function foldersAbove(path: string): string[] {
  const names = path.split(sep).slice(0, -1)
  return names.map((_, index) => join(...names.slice(0, index + 1)))
}

/** Finds folders with these names at any depth, but not inside each other. Does not follow links. */
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
