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

const shrinkwrap = 'npm-shrinkwrap.json'

/** The scripts of a package that an install runs. */
export const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']

/**
 * Whether an install by npm runs a script, or installs files that the lockfile does not identify by a checksum. If not,
 * no other file can change the install. The lockfiles of other managers do not say which packages have scripts.
 *
 * @param lockfile - relative to the repository
 * @param browsers - whether the program `playwright` runs after it
 */
export async function npmReadsTree(folder: Folder, lockfile: string | undefined, browsers: boolean): Promise<boolean> {
  const name = lockfile?.slice(lockfile.lastIndexOf('/') + 1) ?? ''
  if (lockfile !== folder.inRepository(name)) return true
  // npm prefers it to package-lock.json.
  if (name !== shrinkwrap && folder.has(shrinkwrap)) return true
  const settings = folder.has('.npmrc') ? await folder.read('.npmrc') : ''
  if (settings === null || !settings.split(/\r?\n/).every((line) => harmlessSetting.test(line.trim()))) return true
  const packages = packagesOf(await folder.read(name))
  if (packages === undefined) return true
  for (const [path, locked] of packages) {
    if (isInstalled(path) ? isUnknown(path, locked) : await isBuilt(folder, path, locked, browsers)) return true
    if (browsers && isOtherPlaywright(path, locked)) return true
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
  return locked.hasInstallScript === true && !(reviewed.has(name) && isPublished(name, resolved))
}

const isPublished = (name: string, resolved: string) => resolved.startsWith(`https://registry.npmjs.org/${name}/-/`)

/** Whether a package other than those of Playwright has a program of that name. */
function isOtherPlaywright(path: string, { bin, resolved }: Table): boolean {
  if (!Object.hasOwn(table(bin), 'playwright')) return false
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return !['playwright', '@playwright/test'].includes(name) || !isPublished(name, text(resolved) ?? '')
}

/** Whether npm runs something for a package of the repository, or may run one of its programs as `playwright`. */
async function isBuilt(folder: Folder, path: string, locked: Table, browsers: boolean): Promise<boolean> {
  if (locked.hasInstallScript === true || path.split('/').includes('..')) return true
  const prefix = path === '' ? '' : `${path}/`
  const manifest = parsed(await folder.read(`${prefix}package.json`))
  if (manifest === undefined || folder.has(`${prefix}binding.gyp`)) return true
  if (browsers && (manifest.bin ?? table(manifest.directories).bin) !== undefined) return true
  // A shim of Volta looks for versions in the file that it names.
  if (table(manifest.volta).extends !== undefined) return true
  return lifecycle.some((name) => Object.hasOwn(table(manifest.scripts), name))
}
