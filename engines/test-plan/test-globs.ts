import type { Folder } from './folder.ts'

const maxGlobs = 200

/**
 * Returns globs of the files that a runner collects for the targets of its command.
 *
 * @param below - the files that it collects of a folder, relative to that folder
 */
export function globsOfTargets(targets: readonly string[], folder: Folder, below: readonly string[]): string[] {
  const globs = targets.slice(0, maxGlobs).flatMap((target) => {
    const path = plainPath(target)
    if (path === '') return [...below]
    return isFolder(folder, path) ? below.filter(isWanted).map((glob) => `${path}/${glob}`) : [path]
  })
  return [...globs, ...below.filter((glob) => !isWanted(glob))]
}

/**
 * Returns globs of the files that a runner collects, restricted to the targets of its command; undefined if a target is
 * neither a file nor a folder, such as a pattern.
 */
export function globsWithin(
  globs: readonly string[] | undefined,
  targets: readonly string[],
  folder: Folder,
): string[] | undefined {
  if (globs === undefined || targets.length === 0) return globs && [...globs]
  const found: string[] = globs.filter((glob) => !isWanted(glob))
  for (const path of targets.slice(0, maxGlobs).map(plainPath)) {
    if (folder.has(path)) found.push(path)
    else if (!isFolder(folder, path)) return undefined
    else {
      const below = globs.filter(isWanted).filter((glob) => glob.startsWith('**/') || glob.startsWith(`${path}/`))
      found.push(...below.map((glob) => (glob.startsWith('**/') ? `${path}/${glob}` : glob)))
    }
  }
  return found
}

const isWanted = (glob: string) => !glob.startsWith('!')

/** A name without an ending is a folder, even if it has no file yet. */
const isFolder = (folder: Folder, path: string) =>
  !folder.has(path) &&
  /^[^*?[{]*$/.test(path) &&
  (!path.slice(path.lastIndexOf('/') + 1).includes('.') || folder.paths.some((file) => file.startsWith(`${path}/`)))

/** Removes `./` and a slash at the end. */
function plainPath(target: string): string {
  const names = target.split('/').filter((name, at) => name !== '.' && (name !== '' || at === 0))
  return names.join('/')
}

/**
 * Returns globs that a project gives in the dialect of `globMatcher`: `?(c|m)` becomes `{,c,m}`. Undefined if a glob
 * leaves the folder or needs more than this dialect.
 */
export function knownGlobs(globs: readonly string[]): string[] | undefined {
  const known = globs.slice(0, maxGlobs).map((glob) =>
    glob
      .replace(/^(!?)(?:\.\/|<rootDir>\/)+/, '$1')
      .replace(/([?@+])\(([^()]*)\)/g, (_match, kind: string, choices: string) => {
        const all = [...(kind === '?' ? [''] : []), ...choices.split('|')]
        return all.length === 1 ? all.join('') : `{${all.join(',')}}`
      }),
  )
  const isKnown = (glob: string) => glob !== '' && !/^!?[/~<]|^!?\.\.|[()\\$]/.test(glob)
  return known.length > 0 && known.every(isKnown) && known.some(isWanted) ? known : undefined
}
