import type { Package } from './package.ts'
import { table, text } from '../../manifests/values.ts'
import type { InstallPlan } from '../ecosystem.ts'
import { installStep, shellStep, step } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { readJson } from '../folder.ts'
import type { Step } from '../plan.ts'
import { readPackage, workspaceFolders } from './package.ts'
import { lifecycle, npmReadsTree } from './reads-tree.ts'

type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

const lockfileNames: Record<string, Manager> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
}

/** These files and the lockfile decide what is installed. */
const alsoDeciding = /^(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|bunfig\.toml)$/
const patches = /(?:^|\/)(?:patches|\.yarn\/(?:patches|plugins|releases))\/[^/]+$/

/** Git hooks, guards, and scripts that need the network again, which tests do not need. */
const hooksOnly =
  /^(?:npx )?(?:husky|is-ci|lefthook|simple-git-hooks|pinst|only-allow|playwright install|yarn playwright install|node \.?husky|git )\b[^&]*$/

const usualVersion: Record<Exclude<Manager, 'npm'>, string> = { pnpm: '10', yarn: '1', bun: '1' }

export async function javascriptInstall(folder: Folder): Promise<InstallPlan> {
  const project = await readPackage(folder)
  const pinned = await pinnedManager(folder)
  const lockfile = nearestLockfile(folder, pinned?.name)
  const manager = pinned?.name ?? (lockfile ? lockfileNames[baseName(lockfile)] : undefined) ?? 'npm'
  const prepare = rerunScripts(project, folder)
  if (project.dependencies.size === 0 && lockfile === undefined && project.workspaces.length === 0) {
    return { manager: null, install: null, prepare, notes: [] }
  }
  const isBerry = manager === 'yarn' && (await usesBerry(folder, pinned?.version ?? null, lockfile))
  const browsers = project.dependencies.has('@playwright/test')
  const because = lockfile
    ? `${lockfile} pins what ${manager} installs`
    : `package.json lists dependencies, and there is no lockfile${pinned ? ` but ${manager} is named` : ''}`
  const argv = installArguments(manager, isBerry, lockfile !== undefined)
  const environment: Record<string, string> = {
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    HUSKY: '0',
    ...(isBerry && { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_GLOBAL_CACHE: 'false', YARN_ENABLE_TELEMETRY: '0' }),
    ...(browsers && { PLAYWRIGHT_BROWSERS_PATH: '{deps}/browsers' }),
  }
  const made = installLine(manager, argv, pinned?.version ?? (isBerry ? '4' : null), browsers, because, environment)
  const scripts = await installScripts(folder)
  const own = scripts.find(
    ({ path, lines }) => path !== 'package.json' && lines.some(([name, line]) => missedLater(name, line)),
  )?.path
  const notes = [
    ...(own ? [`The install is not cached, because ${own} has install scripts.`] : []),
    ...(lockfile ? [] : ['Without a lockfile, runs may get different versions: commit one.']),
    ...(isBerry ? ["Yarn's node-modules linker is used, whose folders can be cached."] : []),
  ]
  return {
    manager,
    install: installStep(made, {
      lockfiles: own ? [] : decidingFiles(folder, lockfile, manager),
      readsTree: scripts.length > 0 || manager !== 'npm' || (await npmReadsTree(folder, lockfile, browsers)),
      folders: ['node_modules'],
      fillsDeps: manager !== 'npm' || browsers,
    }),
    prepare,
    notes,
  }
}

function installArguments(manager: Manager, isBerry: boolean, locked: boolean): string[] {
  if (manager === 'npm') return locked ? ['npm', 'ci'] : ['npm', 'install', '--no-package-lock']
  const frozen = isBerry ? '--immutable' : '--frozen-lockfile'
  // With CI set, pnpm and yarn require a lockfile, which this project does not have.
  const thawed = isBerry ? '--no-immutable' : manager === 'pnpm' ? '--no-frozen-lockfile' : null
  return [manager, 'install', ...(locked ? [frozen] : thawed ? [thawed] : [])]
}

/** A manager that the machine does not have is fetched by npm, into the cache. */
function installLine(
  manager: Manager,
  argv: string[],
  version: string | null,
  browsers: boolean,
  because: string,
  environment: Record<string, string>,
): Step {
  const line = argv.join(' ')
  const fetchBrowsers = browsers ? ' && npx --no-install playwright install' : ''
  const command = browsers ? `${line} && npx playwright install` : line
  if (manager === 'npm') {
    if (!browsers) return step(argv, { because, environment })
    return shellStep(`${line}${fetchBrowsers}`, { because, environment, command })
  }
  const release = version ?? usualVersion[manager]
  const name = manager === 'yarn' && !release.startsWith('1') ? '@yarnpkg/cli-dist' : manager
  const fetchManager = `command -v ${manager} >/dev/null || npm install --global --prefix {deps}/manager ${name}@${release}`
  return shellStep(
    `{ ${fetchManager}; } && PATH="{deps}/manager/bin:$PATH" && export PATH && ${line}${fetchBrowsers}`,
    { because, environment, command },
  )
}

async function pinnedManager(folder: Folder): Promise<{ name: Manager; version: string | null } | null> {
  const source = folder.nearest('package.json')
  const json = (await readJson(folder, 'package.json')) ?? {}
  const own = text(json.packageManager)
  const above = own ?? (source === undefined ? undefined : await packageManagerOfRoot(folder))
  const match = /^(npm|pnpm|yarn|bun)(?:@(\d+(?:\.\d+){0,2}))?/.exec(above ?? '')
  return match ? { name: match[1] as Manager, version: match[2] ?? null } : null
}

async function packageManagerOfRoot(folder: Folder): Promise<string | undefined> {
  const source = folder.directory === '' ? null : await folder.readFromRoot('package.json')
  return /"packageManager"\s*:\s*"([\w@.-]{1,50})/.exec(source ?? '')?.[1]
}

function nearestLockfile(folder: Folder, manager: Manager | undefined): string | undefined {
  const names = Object.keys(lockfileNames)
  const own = manager ? names.filter((name) => lockfileNames[name] === manager) : []
  return (own.length > 0 ? folder.nearest(...own) : undefined) ?? (manager ? undefined : folder.nearest(...names))
}

async function usesBerry(folder: Folder, version: string | null, lockfile: string | undefined): Promise<boolean> {
  if (version !== null) return !version.startsWith('1')
  if (folder.nearest('.yarnrc.yml') !== undefined) return true
  return /^__metadata:/m.test((lockfile ? await folder.readFromRoot(lockfile) : null)?.slice(0, 2_000) ?? '')
}

/** Relative to the repository. */
function decidingFiles(folder: Folder, lockfile: string | undefined, manager: Manager): string[] {
  // They name versions of programs, and programs that npm links. Other managers read all files.
  const manifestsDecide = lockfile === undefined || manager === 'npm'
  const own = folder.paths.filter(
    (path) => alsoDeciding.test(path) || patches.test(path) || (manifestsDecide && /(?:^|\/)package\.json$/.test(path)),
  )
  const outside = own.filter((path) => !path.includes('node_modules/')).map((path) => folder.inRepository(path))
  // The scripts of a workspace run on every install of its packages.
  const workspace = lockfile && `${lockfile.slice(0, lockfile.lastIndexOf('/') + 1)}package.json`
  const above = workspace === undefined || workspace === folder.inRepository('package.json') ? [] : [workspace]
  return [...(lockfile ? [lockfile] : []), ...above, ...outside]
}

function rerunScripts(project: Package, folder: Folder): Step[] {
  const manifest = folder.inRepository('package.json')
  return ['install', 'postinstall', 'prepare'].flatMap((name) => {
    const line = project.scripts.get(name)
    if (line === undefined || hooksOnly.test(line)) return []
    const environment = { npm_config_update_notifier: 'false', HUSKY: '0' }
    return [step(['npm', 'run', name], { because: `${manifest} runs it on every install`, environment })]
  })
}

/** A manifest with the scripts that an install runs. */
interface InstallScripts {
  /** Relative to the folder. */
  path: string
  lines: [name: string, line: string][]
}

/** Those of the folder and its workspace that have any; the folder's own comes first. */
async function installScripts(folder: Folder): Promise<InstallScripts[]> {
  const members = (await workspaceFolders(folder)).slice(0, 200).map((directory) => `${directory}/package.json`)
  const found: InstallScripts[] = []
  for (const path of ['package.json', ...members]) {
    // The complete manifest, while the analysis reads only parts of it.
    const scripts = table((await readJson(folder, path))?.['scripts'])
    const lines = lifecycle.flatMap((name): [string, string][] => {
      const line = scripts[name]
      return typeof line === 'string' && line !== '' ? [[name, line]] : []
    })
    if (lines.length > 0) found.push({ path, lines })
  }
  return found
}

/** Whether a restored install lacks the effect of the script. */
const missedLater = (name: string, line: string) =>
  ['preinstall', 'install', 'postinstall', 'prepare'].includes(name) && !hooksOnly.test(line)

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
