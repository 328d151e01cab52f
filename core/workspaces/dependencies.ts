import { createHmac, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { arch } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isErrno, isThere } from '../../engines/source/files.ts'
import type { Config } from '../config.ts'
import type { InstallStep } from '../../engines/test-plan/plan.ts'
import { copyTree, makeFolderLike, removeSetuidBits, removeTree } from './directories.ts'
import { forgetUnused, holdInstall, installsDirectory, markUsed } from './kept-installs.ts'
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
const edition = 5

/** Everything except the commit that the result of an install depends on. */
export interface InstallConditions {
  directory: string
  executor: string
  /** The project's variables that the install sees, and can write into files. */
  environment: Readonly<Record<string, string>>
  /** The keys of the earlier installs of the run, whose files the install sees. Null for one that is never kept. */
  earlier: readonly (string | null)[]
}

/**
 * Returns a key of everything that the result of an install depends on, or null for an install that is never kept. If the
 * install can run code of the commit, or sees what such an install wrote, that includes all files of the commit.
 */
export function installKey(
  { secretKey }: Pick<Config, 'secretKey'>,
  install: InstallStep,
  { contentId, treeId }: Pick<OpenedSource, 'contentId' | 'treeId'>,
  { directory, executor, environment, earlier }: InstallConditions,
): string | null {
  const { argv, folders, lockfiles } = install
  if (lockfiles.length === 0) return null
  const contents = lockfiles.map((path) => [path, contentId(path)] as const)
  // A link can lead to every file. A test to be verified can have the name of a lockfile; the install does not see it.
  const readsTree = install.readsTree || contents.some(([, content]) => content === undefined)
  const variables = [install.environment, environment].map((one) =>
    Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  const machine = [arch(), process.version, process.env['PATH']]
  const read = readsTree ? treeId() : contents
  const below = earlier.map((key) => key ?? treeId())
  // Keyed, because the key becomes the name of a folder, and the variables are secret.
  return createHmac('sha256', secretKey)
    .update(JSON.stringify([edition, argv, folders, variables, directory, executor, machine, readsTree, read, below]))
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
 *
 * @returns the install, and the problem if it could not be kept: an install script can write what cannot be copied, such
 *   as very long paths. Only this run can use the install then.
 */
export async function keepInstall(
  config: Config,
  projectId: string,
  { key, trust, install, written, deps, collected }: KeptInstall,
): Promise<{ dependencies: Dependencies; problem?: unknown }> {
  const directory = installDirectory(config, projectId, key, trust)
  const own = dependenciesIn(collected)
  await mkdir(collected)
  await makeFolderLike(own.layer, written)
  using holding = new DisposableStack()
  holding.use(holdInstall(directory))
  try {
    for (const folder of await foldersNamed(written, new Set(install.folders))) {
      const path = relative(written, folder)
      for (const above of foldersAbove(path)) await makeFolderLike(join(own.layer, above), join(written, above))
      await rename(folder, join(own.layer, path))
    }
    await rename(deps, own.deps)
    await removeSetuidBits(collected)
    await storeInstall(collected, directory)
  } catch (problem) {
    const left = { layer: own.layer, deps: (await isThere(own.deps)) ? own.deps : deps }
    return { dependencies: { ...left, [Symbol.dispose]: () => undefined }, problem }
  }
  await forgetUnused(dirname(directory))
  return { dependencies: heldDependencies(directory, holding.move()) }
}

/** Moves or copies an install to its place, completely or not at all. */
async function storeInstall(collected: string, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true })
  await forgetUnused(dirname(directory))
  await markUsed(collected)
  try {
    await renameUnlessThere(collected, directory)
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) throw error
    const unfinished = `${directory}.${randomUUID()}`
    using _copying = holdInstall(unfinished)
    try {
      await copyTree(collected, unfinished)
      await renameUnlessThere(unfinished, directory)
    } finally {
      await removeTree(unfinished)
    }
  }
  // Takes space of the run until its end.
  await removeTree(collected).catch(() => undefined)
}

async function renameUnlessThere(from: string, directory: string): Promise<void> {
  try {
    await rename(from, directory)
  } catch (error) {
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error
    await markUsed(directory)
  }
}

interface KeptInstall {
  key: string
  trust: Trust
  install: InstallStep
  /** The folder with the files that the install wrote into the repository. */
  written: string
  deps: string
  /** Where to create a folder that receives the install first, in the file system of `written` and `deps`. */
  collected: string
}

const dependenciesIn = (directory: string) => ({ layer: join(directory, 'layer'), deps: join(directory, 'deps') })

const heldDependencies = (directory: string, holding: Disposable): Dependencies => ({
  ...dependenciesIn(directory),
  [Symbol.dispose]: () => holding[Symbol.dispose](),
})

function installDirectory(config: Config, projectId: string, key: string, trust: Trust): string {
  const name = isStranger(trust) ? `${trust.replace(':', '-')}-${key}` : `project-${key}`
  return join(installsDirectory(config, projectId), name)
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
