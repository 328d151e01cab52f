import { type Table, table, text } from '../../manifests/values.ts'
import type { Folder } from '../folder.ts'

/**
 * Packages whose install scripts were read: they start only files of their own package. The scripts of most other
 * packages may look for settings of the project, and some of these settings are programs.
 */
const reviewed: ReadonlySet<string> = new Set(['esbuild', 'fsevents', 'core-js', 'core-js-pure'])

/** Settings of npm that name no program and no file. */
const harmlessSetting =
  /^(?:[;#].*|(?:(?:@[\w.-]+:)?registry|fund|audit|audit-level|engine-strict|legacy-peer-deps|strict-peer-deps|save|save-exact|save-prefix|package-lock|loglevel|progress|update-notifier|always-auth|ignore-scripts)\s*=.*|\/\/[^\s=]+:(?:_auth|_authToken|username|_password|email|always-auth)\s*=.*)?$/

/** The scripts of a package that an install runs. */
export const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']

/**
 * Whether an install by npm runs a script, or installs files that the lockfile does not identify by a checksum. If not,
 * no other file can change the install. The lockfiles of other managers do not say which packages have scripts.
 *
 * @param lockfile - relative to the repository
 */
export async function npmReadsTree(folder: Folder, lockfile: string | undefined): Promise<boolean> {
  const name = lockfile?.slice(lockfile.lastIndexOf('/') + 1) ?? ''
  if (lockfile !== folder.inRepository(name)) return true
  const settings = (await folder.read('.npmrc')) ?? ''
  if (!settings.split(/\r?\n/).every((line) => harmlessSetting.test(line.trim()))) return true
  const packages = packagesOf(await folder.read(name))
  if (packages === undefined) return true
  for (const [path, locked] of packages) {
    if (isInstalled(path) ? isUnknown(path, locked) : await isBuilt(folder, path, locked)) return true
  }
  return false
}

/** Returns undefined for a lockfile that does not say which packages have scripts. */
function packagesOf(source: string | null): [path: string, locked: Table][] | undefined {
  const packages = parsed(source)?.packages
  return packages === undefined ? undefined : Object.entries(table(packages)).map(([path, one]) => [path, table(one)])
}

/** Returns undefined for a missing or broken file. npm reports it. */
function parsed(source: string | null): Table | undefined {
  try {
    return source === null ? undefined : table(JSON.parse(source))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

const isInstalled = (path: string) => path.startsWith('node_modules/') || path.includes('/node_modules/')

function isUnknown(path: string, locked: Table): boolean {
  // The entry of the folder to which the link leads says what it contains.
  if (locked.link === true) return false
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (locked.inBundle === true) return locked.hasInstallScript === true
  const resolved = text(locked.resolved) ?? ''
  if (text(locked.integrity) === undefined || !resolved.startsWith('https://')) return true
  if (locked.hasInstallScript !== true) return false
  return !reviewed.has(name) || !resolved.startsWith(`https://registry.npmjs.org/${name}/-/`)
}

/** Whether npm runs something for a package of the repository. */
async function isBuilt(folder: Folder, path: string, locked: Table): Promise<boolean> {
  if (locked.hasInstallScript === true || path.split('/').includes('..')) return true
  const prefix = path === '' ? '' : `${path}/`
  const manifest = parsed(await folder.read(`${prefix}package.json`))
  if (manifest === undefined || folder.has(`${prefix}binding.gyp`)) return true
  return lifecycle.some((name) => Object.hasOwn(table(manifest.scripts), name))
}
