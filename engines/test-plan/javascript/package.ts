import { parsePackageJson } from '../../manifests/npm.ts'
import { UnreadableManifest } from '../../manifests/manifest.ts'
import { globMatcher } from '../../source/glob.ts'
import { shortLines } from '../../manifests/values.ts'
import type { Folder } from '../folder.ts'
import { readManifest } from '../folder.ts'

/** The parts of package.json that matter for running tests. */
export interface Package {
  scripts: ReadonlyMap<string, string>
  /** Ranges by name, of every kind. */
  dependencies: ReadonlyMap<string, string>
  /** The names of the dependencies that the package itself declares. */
  declared: ReadonlySet<string>
  workspaces: readonly string[]
  /** Keys of package.json under which tools keep settings. */
  settings: readonly string[]
}

const maxPatterns = 100

/** npm's own placeholder says that there are no tests. */
const placeholder = /no test specified/

/** Dependencies of the workspace root are also available in its packages. */
export async function readPackage(folder: Folder): Promise<Package> {
  const facts = await readManifest(folder, 'package.json', parsePackageJson)
  const scripts = Object.entries(facts?.scripts ?? {}).filter(([, line]) => !placeholder.test(line))
  const above = folder.directory === '' ? null : await readAbove(folder)
  const dependencies = [...(above?.dependencies ?? []), ...(facts?.dependencies ?? [])]
  return {
    scripts: new Map(scripts),
    dependencies: new Map(dependencies.map(({ name, version }) => [name, version])),
    declared: new Set(facts?.dependencies?.map(({ name }) => name)),
    workspaces: facts?.workspaces ?? [],
    settings: facts?.settings ?? [],
  }
}

async function readAbove(folder: Folder) {
  const source = await folder.readFromRoot('package.json')
  try {
    return source === null ? null : parsePackageJson(source)
  } catch (error) {
    // The manifest belongs to another folder. The install reports its errors.
    if (error instanceof UnreadableManifest || error instanceof RangeError) return null
    throw error
  }
}

export async function isWorkspace(folder: Folder, project: Package): Promise<boolean> {
  return project.workspaces.length > 0 || folder.has('pnpm-workspace.yaml')
}

/** Folders of the packages that belong to the workspace, relative to it. */
export async function workspaceFolders(folder: Folder): Promise<string[]> {
  const project = await readPackage(folder)
  const patterns = [...project.workspaces, ...(await pnpmPatterns(folder))]
  if (patterns.length === 0) return []
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).slice(0, maxPatterns)
  const unwanted = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const matchers = (globs: string[]) => globs.map((pattern) => globMatcher(pattern.replace(/^\.\/|(?<!\/)\/+$/g, '')))
  const [inside, outside] = [matchers(wanted), matchers(unwanted)]
  return folder.paths
    .filter((path) => path.endsWith('/package.json') && !path.includes('node_modules/'))
    .map((path) => path.slice(0, -'/package.json'.length))
    .filter(
      (directory) => inside.some((matches) => matches(directory)) && !outside.some((matches) => matches(directory)),
    )
    .toSorted()
}

async function pnpmPatterns(folder: Folder): Promise<string[]> {
  const lines = shortLines((await folder.read('pnpm-workspace.yaml')) ?? '')
  const start = lines.findIndex((line) => /^packages\s*:/.test(line))
  if (start === -1) return []
  const end = lines.findIndex((line, at) => at > start && /^\S/.test(line) && !/^[-#]/.test(line))
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .flatMap((line) => /^\s*-\s*["']?([^"'#\s]+)/.exec(line)?.[1] ?? [])
}

/** Returns the lowest major version that the range allows; null if it is unclear. */
export function majorVersion(range: string | undefined): number | null {
  const digits = /^(?:npm:[^@]*@|workspace:)?[\^~>=v\s]*(\d+)(?:\.|$|\s|-)/.exec(range ?? '')?.[1]
  return digits ? Number(digits) : null
}
