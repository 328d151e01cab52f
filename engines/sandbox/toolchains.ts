import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { promisify } from 'node:util'

/** What a sandbox shows of the programs that are installed on this machine. */
export interface Toolchains {
  /** Folders outside /usr, shown read-only at their own paths. */
  folders: string[]
  /** The PATH of the host without the folders that the sandbox does not show. */
  path: string[]
  environment: Record<string, string>
  /** Our own Node comes first, because the Node of the host may be outdated or missing. */
  ownNodeFirst: boolean
}

/**
 * Where version managers keep programs, relative to the home folder. Each is shown if it is there and its `bin` or
 * anything else below it is on PATH. Only parts without credentials are named: `.cargo/bin`, not `.cargo`.
 */
const managers: readonly {
  part: string
  shows?: readonly string[]
  variable?: readonly [name: string, folder: string]
}[] = [
  { part: '.pyenv', variable: ['PYENV_ROOT', '.pyenv'] },
  { part: '.cargo/bin', shows: ['.cargo/bin', '.rustup'], variable: ['RUSTUP_HOME', '.rustup'] },
  { part: '.nvm/versions' },
  { part: '.rbenv', variable: ['RBENV_ROOT', '.rbenv'] },
  { part: '.rvm' },
  { part: '.volta', variable: ['VOLTA_HOME', '.volta'] },
  { part: '.asdf', variable: ['ASDF_DATA_DIR', '.asdf'] },
  { part: '.local/share/mise', variable: ['MISE_DATA_DIR', '.local/share/mise'] },
  { part: '.local/share/fnm' },
  { part: '.local/share/pnpm' },
  { part: '.local/bin', shows: ['.local/bin', '.local/share/uv', '.local/share/pipx', '.local/pipx'] },
  { part: '.sdkman/candidates' },
  { part: '.bun/bin' },
  { part: '.deno/bin' },
  { part: '.goenv', variable: ['GOENV_ROOT', '.goenv'] },
  { part: '.phpenv' },
  { part: '.dotnet', variable: ['DOTNET_ROOT', '.dotnet'] },
]

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64']
/** Shown whole, if PATH or a link in /usr leads into them. */
const packageTrees = ['/home/linuxbrew/.linuxbrew', '/nix/store', '/snap']
/** Of /opt only the packages that PATH or a link in /usr leads to, since whole applications live there with their data. */
const packageFolder = '/opt'

const oldestSupportedNode = 22

/** Chooses the parts of the host's PATH to show. `extra` are folders that the operator adds. */
export async function findToolchains(
  host: Readonly<Record<string, string | undefined>>,
  extra: readonly string[],
): Promise<Toolchains> {
  const home = host.HOME
  const entries = [...new Set((host.PATH ?? '').split(':').filter((entry) => isAbsolute(entry) && existsSync(entry)))]
  // Follows links, because the sandbox may show a target but not its link.
  const reached = [...new Set([...entries, ...entries.map((entry) => realpathSync(entry))])]
  const folders = new Set(extra.filter((folder) => existsSync(folder)))
  const environment: Record<string, string> = {}

  for (const { part, shows = [part], variable } of home === undefined ? [] : managers) {
    if (!reached.some((entry) => isWithin(entry, join(home ?? '', part)))) continue
    for (const shown of shows.map((name) => join(home ?? '', name))) if (existsSync(shown)) folders.add(shown)
    if (variable) environment[variable[0]] = join(home ?? '', variable[1])
  }
  for (const path of [...reached, ...linksOutOfUsr()]) {
    const tree = packageTrees.find((folder) => isWithin(path, folder)) ?? packageOf(path)
    if (tree !== undefined && existsSync(tree)) folders.add(tree)
  }

  const shown = [...systemFolders, ...folders]
  const isShown = (path: string) => shown.some((folder) => isWithin(path, folder))
  const path = [...new Set(entries.flatMap((entry) => [entry, realpathSync(entry)].find(isShown) ?? []))]
  for (const name of ['JAVA_HOME', 'GOROOT', 'GRADLE_HOME', 'MAVEN_HOME']) {
    const value = host[name]
    if (value !== undefined && isAbsolute(value) && existsSync(value) && isShown(value)) environment[name] = value
  }
  for (const folder of ['/usr/local/bin', '/usr/bin', '/bin']) if (!path.includes(folder)) path.push(folder)
  return { folders: [...folders], path, environment, ownNodeFirst: await isNodeTooOld(path) }
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** `/opt/go` for `/opt/go/bin/go`. */
function packageOf(path: string): string | undefined {
  if (!isWithin(path, packageFolder) || path === packageFolder) return undefined
  return join(packageFolder, path.slice(packageFolder.length + 1).split(sep)[0] ?? '')
}

function linksOutOfUsr(): string[] {
  return ['/usr/local/bin', '/usr/bin'].flatMap((folder) =>
    (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => readlinkSync(join(folder, entry.name)))
      .filter((target) => isAbsolute(target) && !isWithin(target, '/usr')),
  )
}

async function isNodeTooOld(path: readonly string[]): Promise<boolean> {
  const node = path.map((folder) => join(folder, 'node')).find((file) => existsSync(file))
  if (node === undefined) return true
  try {
    const { stdout } = await promisify(execFile)(node, ['--version'], { env: { PATH: dirname(node) } })
    return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0) < oldestSupportedNode
  } catch {
    return true
  }
}
