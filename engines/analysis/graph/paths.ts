import { posix } from 'node:path'

export function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash === -1 ? '' : path.slice(0, slash)
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Repository path of `relative` seen from `directory`; undefined where that leaves the repository. */
export function joinPath(directory: string, relative: string): string | undefined {
  if (relative.startsWith('/') || relative.includes('\0')) return undefined
  const joined = posix.join(directory, relative)
  if (joined === '.' || joined === './') return ''
  if (joined === '..' || joined.startsWith('../')) return undefined
  return joined.endsWith('/') ? joined.slice(0, -1) : joined
}

/** The directory itself, then each one around it, the root ('') last. */
export function* ancestors(directory: string): Iterable<string> {
  let current = directory
  while (current !== '') {
    yield current
    current = directoryOf(current)
  }
  yield ''
}

/** How many leading segments two directories share. */
export function sharedSegments(a: string, b: string): number {
  let shared = 0
  for (let at = 0; ; at += 1) {
    const left = at < a.length ? a[at] : '/'
    const right = at < b.length ? b[at] : '/'
    if (left !== right) return shared
    if (left !== '/') continue
    shared += 1
    if (at >= a.length || at >= b.length) return shared
  }
}
