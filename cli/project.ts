import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { CoreClient } from '../client/core-client.ts'
import { findOrAddProject } from '../client/add-project.ts'
import { findLocalProject, findProjects } from '../client/find-project.ts'
import { describeLocalRepository, type LocalRepository } from '../client/local-repository.ts'
import { httpsAddress } from '../client/repository-key.ts'
import { cleanName, shorten } from '../client/sanitize.ts'
import { UserError } from '../client/user-error.ts'
import type { Project } from '../core/projects/schema.ts'
import type { Context } from './context.ts'
import { notFound, wrongUsage } from './failure.ts'
import type { Place } from './invocation.ts'

/**
 * Finds a project by its id, its name, its repository's URL or the path of a checkout. Defaults to the project of the
 * current checkout.
 *
 * @param orRun - the command also accepts the id of a run, and there is none with this id
 */
export async function resolveProject(
  core: CoreClient,
  wanted: string | undefined,
  place: Place,
  { orRun = false } = {},
): Promise<Project> {
  if (wanted === undefined) return projectOfCheckout(core, await checkoutAt('.', place))
  await refuseFile(wanted, place)
  if (isPath(wanted)) return projectOfCheckout(core, await checkoutAt(wanted, place))
  const project = await findProject(core, wanted)
  if (project) return project
  const repository = await checkoutAt(wanted, place).catch(() => undefined)
  if (repository) return projectOfCheckout(core, repository)
  if (orRun && isId(wanted)) {
    throw notFound(
      `Nothing matches ${shown(wanted)}: no run and no project has this id. Run \`assay status\` to list the runs of a checkout.`,
    )
  }
  throw noSuchProject(wanted)
}

/** The path of a test file is easily mistaken for an argument of `assay run`. */
async function refuseFile(wanted: string, { cwd }: Place): Promise<void> {
  const found = await stat(resolve(cwd, wanted)).catch(() => undefined)
  if (!found?.isFile()) return
  throw wrongUsage(
    `${shown(wanted)} is a file, not a project. To run its tests: \`assay run --path ${quoted(wanted)}\`.`,
  )
}

/** Finds the project with this id, name or repository. */
export async function findProject(core: CoreClient, wanted: string): Promise<Project | undefined> {
  const projects = await matching(core, wanted)
  const [project, ...others] = projects
  if (others.length === 0) return project
  const ids = projects.slice(0, 5).map(({ id }) => id)
  throw wrongUsage(`${projects.length} projects match ${shown(wanted)}. Use one of these ids: ${ids.join(', ')}.`)
}

export const noSuchProject = (wanted: string) =>
  notFound(
    `Nothing matches ${shown(wanted)}: no project has this id, name or repository. Run \`assay projects\` to list yours.`,
  )

/** A checkout that is analyzed here, or a project whose repository core reads. */
export type Target = { repository: LocalRepository } | { project: Project }

/** Finds the checkout that contains a path. */
export async function checkoutAt(
  path: string,
  { cwd, env }: Place,
  advice = 'Change to a checkout, or name a project from `assay projects`.',
): Promise<LocalRepository> {
  const folder = resolve(cwd, path.replace(/^~(?=\/|$)/, env['HOME'] ?? homedir()))
  try {
    return await describeLocalRepository(folder)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const isThere = await realpath(folder).then(
      () => true,
      () => false,
    )
    if (!isThere) throw wrongUsage(`${shown(folder)} does not exist.`)
    throw wrongUsage(`${shown(folder)} is not inside a git checkout. ${advice}`)
  }
}

export async function projectOfCheckout(core: CoreClient, repository: LocalRepository): Promise<Project> {
  const project = await findLocalProject(core, repository)
  if (project) return project
  throw noProjectFor(repository)
}

export const noProjectFor = (repository: LocalRepository) =>
  notFound(`No project has the repository of ${shown(repository.root)}. ${howToAdd(repository)}`)

/**
 * Finds the project of a checkout. Adds the checkout as a project where the server may read it, and says so.
 *
 * @returns undefined if there is no project and the server may not read the checkout
 */
export async function projectForCheckout(
  core: CoreClient,
  repository: LocalRepository,
  { out }: Context,
): Promise<Project | undefined> {
  const found = await findOrAddProject(core, repository)
  if (found?.isNew) out.warn(`Added this checkout as the project ${shown(found.project.name)}: ${found.project.id}`)
  return found?.project
}

/**
 * Like `resolveProject`, but adds the checkout as a project if there is none and the server may read it, and says so.
 *
 * @throws CommandError with the command that adds the project, if the server may not read the checkout
 */
export async function resolveOrAddProject(
  core: CoreClient,
  wanted: string | undefined,
  context: Context,
): Promise<Project> {
  if (wanted !== undefined) await refuseFile(wanted, context)
  if (wanted !== undefined && !isPath(wanted)) return resolveProject(core, wanted, context)
  return requireProjectFor(core, await checkoutAt(wanted ?? '.', context), context)
}

/** Like `projectForCheckout`, but fails if there is no project. */
export async function requireProjectFor(
  core: CoreClient,
  repository: LocalRepository,
  context: Context,
): Promise<Project> {
  const project = await projectForCheckout(core, repository, context)
  if (project) return project
  throw noProjectFor(repository)
}

/** The command that adds a checkout as a project, ready to copy. */
export function howToAdd(repository: LocalRepository): string {
  return `Add it: \`assay projects add ${quoted(addressOf(repository))}\`.`
}

/** Returns the address that core can fetch: the web address of a remote, else the folder itself. */
export function addressOf({ mainRoot, remotes }: LocalRepository): string {
  const [address = mainRoot] = remotes.flatMap((remote) => httpsAddress(remote) ?? [])
  return address
}

/** True for `.`, `../shop` and absolute paths. A bare word is a name first. */
export const isPath = (text: string) => /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$)|[A-Za-z]:[\\/])/.test(text)

export const shown = (text: string) => shorten(cleanName(text), 200)

/** Quotes text so that a shell reads it as one word. */
export const quoted = (text: string) => {
  const clean = cleanName(text)
  return /^[\w@%+=:,./~-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", String.raw`'\''`)}'`
}

const isId = (text: string) => /^[0-9A-Z]{26}$/.test(text)

/** Whether a checkout has a file or folder. */
export const existsAt = (root: string, path: string) =>
  lstat(join(root, path)).then(
    () => true,
    () => false,
  )

/** An id takes precedence over a name. */
async function matching(core: CoreClient, wanted: string): Promise<Project[]> {
  if (!isId(wanted)) return findProjects(core, wanted)
  const projects = await core.projects.getProjects.query()
  return projects.filter(({ id }) => id === wanted)
}

/** Returns the path of a file relative to the top of its working tree, with slashes. */
export async function pathInRepository(file: string, place: Place): Promise<string> {
  const path = resolve(place.cwd, file)
  // Resolves the folder only: the file may be new, or a symbolic link.
  const folder = await realpath(dirname(path)).catch(() => undefined)
  if (folder === undefined) throw wrongUsage(`The folder ${shown(dirname(path))} does not exist.`)
  const { root } = await checkoutAt(folder, place)
  return relative(root, join(folder, basename(path))).replaceAll(sep, '/')
}
