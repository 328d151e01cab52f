import { pathText } from './path-text.ts'
import { RepositoryError } from './types.ts'

const shownNames = 5

/** Names the first ones and counts the others: "a, b and 3 more". */
export function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, shownNames)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more.toLocaleString('en')} more`
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}

export interface SizedPath {
  path: string
  bytes: number
}

export const largestShown = 5
const largestKept = 100

const bySize = (one: { bytes: number }, other: { bytes: number }): number => other.bytes - one.bytes

/** Keeps the largest of many files. */
export class Largest<File extends { bytes: number }> {
  #files: File[] = []

  add(file: File): void {
    this.#files.push(file)
    if (this.#files.length >= 2 * largestKept) this.#files = this.list()
  }

  /** Returns them, the largest first. */
  list(): File[] {
    return this.#files.toSorted(bySize).slice(0, largestKept)
  }
}

const advice = 'Add files that tests do not need to .gitignore, or commit and push the change.'

/**
 * Names the largest files, without those that do not matter for the limit.
 *
 * @param files - those that would be sent, or the largest of them
 * @param limit - bytes
 */
export function tooLarge(what: string, files: readonly SizedPath[], limit: number): RepositoryError {
  const heavy = files.filter(({ bytes }) => bytes >= limit / 100)
  const named = (heavy.length > 0 ? heavy : files)
    .toSorted(bySize)
    .slice(0, largestShown)
    .map(({ path, bytes }) => `${path} (${sizeText(bytes)})`)
  const are = named.length === 1 ? 'file is' : 'files are'
  return new RepositoryError(
    'too_large',
    `${what}${named.length > 0 ? ` The largest ${are} ${namesOf(named)}.` : ''} ${advice}`,
  )
}

export const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`

const foldersShown = 3

/** Counts the entries of a tree by the folder at its top that they are in. */
export class TopFolders {
  readonly #counts = new Map<string, number>()

  add(path: Buffer): void {
    const slash = path.indexOf('/')
    const folder = slash === -1 ? '.' : path.toString('latin1', 0, slash)
    this.#counts.set(folder, (this.#counts.get(folder) ?? 0) + 1)
  }

  /** Names those with the most entries: "data (150,000), src (20)". */
  toString(): string {
    return [...this.#counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, foldersShown)
      .map(([folder, count]) => `${pathText(Buffer.from(folder, 'latin1'))} (${count.toLocaleString('en')})`)
      .join(', ')
  }
}
