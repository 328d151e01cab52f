import { createHmac, randomUUID } from 'node:crypto'
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
import { isStranger, type Trust } from './trust.ts'

/** An install that is kept between the runs of a project. It is not deleted before the holder disposes of it. */
export interface Dependencies extends Disposable {
  /** A layer with the files that the install wrote into the repository. */
  layer: string
  /** The initial contents of `{deps}`. */
  deps: string
}

/** Increase it with every change of what a key stands for. Installs under the keys of older editions are not used. */
const edition = 4

/** Everything except the commit that the result of an install depends on. */
export interface InstallConditions {
  directory: string
  executor: string
  /** The project's variables that the install sees, and can write into files. */
  environment: Readonly<Record<string, string>>
}

/**
 * Returns a key of everything that the result of an install depends on, or null for an install that is never kept. If the
 * install can run code of the commit, that includes all its files.
 */
export function installKey(
  { secretKey }: Pick<Config, 'secretKey'>,
  install: InstallStep,
  { contentId, treeId }: Pick<OpenedSource, 'contentId' | 'treeId'>,
  { directory, executor, environment }: InstallConditions,
): string | null {
  const contents = install.lockfiles.map((path) => [path, contentId(path)] as const)
  // A test to be verified can have the name of a lockfile. The install does not see it.
  if (contents.length === 0 || contents.some(([, content]) => content === undefined)) return null
  const { argv, folders, readsTree } = install
  const variables = [install.environment, environment].map((one) =>
    Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  const machine = [arch(), process.version, process.env['PATH']]
  const read = readsTree ? treeId() : contents
  // Keyed, because the key becomes the name of a folder, and the variables are secret.
  return createHmac('sha256', secretKey)
    .update(JSON.stringify([edition, argv, folders, variables, directory, executor, machine, readsTree, read]))
    .digest('hex')
    .slice(0, 32)
}

/** Finds an install of an earlier run. Runs of strangers may use installs of the project, but not the other way round. */
export async function findInstall(
  config: Config,
  projectId: string,
  key: string,
  trust: Trust,
): Promise<Dependencies | undefined> {
  for (const owner of new Set<Trust>(['project', trust])) {
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

function installDirectory(config: Config, projectId: string, key: string, trust: Trust): string {
  const name = isStranger(trust) ? `${trust.replace(':', '-')}-${key}` : `project-${key}`
  return join(cacheDirectory(config, projectId), 'installs', name)
}

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
