/** Longer ones are no names of files. */
const maxName = 4_096
/** Of folders and the file. Every end of a name is looked up that a path can have. */
const maxDepth = 64

/**
 * Finds the folder of the checkout that absolute file names of a report begin with.
 *
 * @param paths - of the repository's files
 * @returns null if no folder or several folders fit
 */
export function findRoot(names: readonly string[], paths: readonly string[]): string | null {
  const known = new Set(paths)
  const roots = new Set<string>()
  for (const name of names) {
    if (name.length > maxName) continue
    const segments = segmentsOf(name)
    const first = Math.max(0, segments.length - maxDepth)
    // The name of a file alone proves nothing: many folders have an index.js.
    const start = segments.findIndex(
      (_, index) => index >= first && index < segments.length - 1 && known.has(join(segments, index)),
    )
    if (start > 0) roots.add(segments.slice(0, start).join('/'))
  }
  const [root = ''] = roots
  return roots.size === 1 && root !== '' ? root : null
}

/** Returns the deepest folder that contains all of these files; null if there is none. */
export function commonFolder(names: readonly string[]): string | null {
  const [first, ...others] = names.map((name) => segmentsOf(name).slice(0, -1))
  if (first === undefined) return null
  const differs = (segment: string, index: number) => others.some((other) => other[index] !== segment)
  const end = first.findIndex(differs)
  const folder = (end === -1 ? first : first.slice(0, end)).join('/')
  return folder === '' ? null : folder
}

const segmentsOf = (name: string) => name.replaceAll('\\', '/').split('/')
const join = (segments: readonly string[], start: number) => segments.slice(start).join('/')
