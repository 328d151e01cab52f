import type { Ecosystem, InstallPlan } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { withoutComment } from './folder.ts'
import type { InstallStep } from './plan.ts'

/**
 * Files by which version managers (asdf, corepack, mise, proto, pyenv, rbenv, uv …) choose what `python3`, `npm` or
 * `bundle` starts.
 */
const versionFile =
  /^(?:\.[\w-]*versions?|\.nvmrc|\.\w+env-\w+|\.ruby-gemset|\.sdkmanrc|\.prototools|\.corepack\.env|uv\.toml|\.?vfox\.toml|\.?aqua(?:[./].*)?|(?:\.config\/)?\.?(?:mise|rtx)(?:rc)?(?:[./-].*)?)$/s

const maxVersionFiles = 20

/** The name of a program or version, such as `nodejs`, `3.12.1` or `lts/iron`: no path, no setting, no reference. */
const plainWord = /^(?:lts\/)?[\w*][\w.+*-]*$/

/** Plans the install of a folder, with all files of the repository that it depends on. */
export async function planInstall(ecosystem: Ecosystem, folder: Folder): Promise<InstallPlan> {
  const plan = await ecosystem.install(folder)
  return plan.install === null ? plan : { ...plan, install: await withOtherInputs(folder, plan.install) }
}

async function withOtherInputs(folder: Folder, install: InstallStep): Promise<InstallStep> {
  // It is never kept.
  if (install.lockfiles.length === 0) return install
  const versionFiles = folder.paths.filter((path) => versionFile.test(path))
  const readsTree =
    install.readsTree ||
    // Managers and version managers also read files of the folders above, and npm installs the workspace there.
    folder.directory !== '' ||
    hasInstalledFiles(folder, install) ||
    versionFiles.length > maxVersionFiles ||
    !(await areAll(versionFiles, (path) => isPlain(folder, path)))
  if (readsTree) return { ...install, readsTree }
  const lockfiles = [...new Set([...install.lockfiles, ...versionFiles])].toSorted()
  return { ...install, lockfiles, readsTree }
}

/** Whether the commit has files where the install writes: managers may leave them as they are. */
function hasInstalledFiles({ paths }: Folder, { folders }: InstallStep): boolean {
  return paths.some((path) => folders.some((name) => path.startsWith(`${name}/`) || path.includes(`/${name}/`)))
}

async function isPlain(folder: Folder, path: string): Promise<boolean> {
  const source = await folder.read(path)
  const words = source?.split('\n').flatMap((line) => withoutComment(line).split(/\s/))
  return words?.every((word) => word === '' || plainWord.test(word)) ?? false
}

async function areAll(paths: readonly string[], is: (path: string) => Promise<boolean>): Promise<boolean> {
  for (const path of paths) if (!(await is(path))) return false
  return true
}
