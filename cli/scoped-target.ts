import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type Command } from 'commander'
import type { LocalRepository } from '../client/local-repository.ts'
import { AnalysisScope } from '../engines/analysis/schema.ts'
import { isGlob } from '../engines/source/glob.ts'
import { wrongUsage } from './failure.ts'
import { repeated } from './options.ts'
import { checkoutAt, findProject, isPath, noSuchProject, shown, type Target } from './project.ts'
import type { Context } from './context.ts'

/** Options that limit a command to a part of the repository. */
export interface ScopeOptions {
  since?: string
  symbol?: string[]
  measure?: boolean
}

export const targetWords = 'project, or checkout (default: current checkout); files, folders and globs limit it'

export function addScopeOptions(command: Command): Command {
  return command
    .option('--since <reference>', 'only code that was added or changed since this branch, tag or commit')
    .option<string[] | undefined>('--symbol <name>', 'only this function, method or class (repeatable)', repeated)
    .option('--measure', 'run the tests first if nothing has measured the coverage')
}

export type ScopedTarget = Target & { scope: AnalysisScope | undefined }

/**
 * Reads the arguments of a command: a project and paths in its repository, or paths of one checkout. The top of a checkout
 * only says which one. A bare word is the name of a project first.
 */
export async function resolveScopedTarget(
  given: readonly string[],
  options: ScopeOptions,
  context: Context,
): Promise<ScopedTarget> {
  const [first, ...others] = given
  if (first !== undefined && !(await isPathHere(first, context))) {
    const project = await findProject(await context.core(), first)
    if (project) return { project, scope: scopeOf(options, others) }
    const isName = !/[/.]/.test(first) && !isGlob(first) && !(await existing(resolve(context.cwd, first)))
    if (isName) throw noSuchProject(first)
  }
  const { repository, paths } = await pathsOfCheckout(given, context)
  return { repository, scope: scopeOf(options, paths) }
}

/**
 * Finds the checkout of files, folders and globs, and their paths in it. No path means the whole checkout: its top only
 * says which one.
 *
 * @returns also what the user typed for each path
 */
export async function pathsOfCheckout(
  given: readonly string[],
  context: Context,
): Promise<{ repository: LocalRepository; paths: string[]; typed: string[] }> {
  const places = await Promise.all(given.map((path) => placeOf(path, context)))
  const repository = await checkoutAt(places[0]?.folder ?? '.', context)
  const paths = places.map(({ path }) => relative(repository.root, path).replaceAll(sep, '/'))
  const outside = paths.findIndex((path) => path === '..' || path.startsWith('../'))
  if (outside !== -1) throw wrongUsage(`${shown(given[outside] ?? '')} is not in the checkout ${repository.root}.`)
  const isLimit = (index: number) => paths[index] !== ''
  return {
    repository,
    paths: paths.filter((_path, index) => isLimit(index)),
    typed: given.filter((_text, index) => isLimit(index)),
  }
}

/** Returns undefined where nothing limits the command. */
export function scopeOf(
  { since, symbol: symbols }: ScopeOptions,
  paths: readonly string[] = [],
): AnalysisScope | undefined {
  if (paths.length === 0 && since === undefined && !symbols) return undefined
  const scope = AnalysisScope.safeParse({
    ...(paths.length > 0 && { paths }),
    ...(since !== undefined && { since }),
    ...(symbols && { symbols }),
  })
  if (scope.success) return scope.data
  const [issue] = scope.error.issues
  const name = { paths: 'The paths', since: '--since', symbols: '--symbol' }[String(issue?.path[0])] ?? 'The scope'
  throw wrongUsage(`${name}: ${issue?.message ?? 'is not valid'}.`)
}

/** Whether text is a path and not the name of a project: it looks like one, or a file or folder below is there. */
async function isPathHere(text: string, { cwd }: Context): Promise<boolean> {
  if (isPath(text)) return true
  const found = await stat(resolve(cwd, text)).catch(() => undefined)
  return found !== undefined && (text.includes('/') || found.isFile())
}

const existing = (path: string) => realpath(path).catch(() => undefined)

/** Returns the absolute path without symbolic links, and the last folder on its way that exists. */
async function placeOf(text: string, { cwd }: Context): Promise<{ path: string; folder: string }> {
  const path = resolve(cwd, text)
  // `checkoutAt` says that it does not exist.
  if (isPath(text) && !isGlob(text) && (await existing(path)) === undefined) return { path, folder: path }
  for (let folder = path; ; folder = dirname(folder)) {
    const real = await existing(folder)
    if (real !== undefined) return { path: join(real, relative(folder, path)), folder: real }
    if (folder === dirname(folder)) return { path, folder }
  }
}
