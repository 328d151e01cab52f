import type { PatchFile } from './patch.ts'

/** Another place in the repository for the paths of a report: `lib/` in the report is `packages/core/lib/` here. */
export interface PathPrefix {
  report: string
  repository: string
}

export interface FoundReport {
  /** The name of the file in the report. */
  name: string
  /** How it was found. */
  by: 'path' | 'prefix' | 'suffix'
}

/** Applies the first prefix that fits. */
export function withPrefix(name: string, prefixes: readonly PathPrefix[]): string {
  const prefix = prefixes.find(({ report }) => name.startsWith(report))
  return prefix ? `${prefix.repository}${name.slice(prefix.report.length)}` : name
}

/**
 * Finds files of a change in reports that name them by other paths: from a folder of the repository, or from above it. A
 * name counts only if it fits no other file of the repository as well.
 *
 * @param names - the names of all files in the reports
 * @returns by path; files that no name fits are missing
 */
export function findReported(
  files: readonly Pick<PatchFile, 'path' | 'namesakes'>[],
  names: Iterable<string>,
  prefixes: readonly PathPrefix[] = [],
): Map<string, FoundReport> {
  const byPath = new Map<string, { name: string; isGiven: boolean }>()
  const byLastPart = new Map<string, string[]>()
  for (const name of names) {
    const path = withPrefix(name, prefixes)
    if (path === name || !byPath.has(path)) byPath.set(path, { name, isGiven: path === name })
    const last = lastPart(path)
    byLastPart.set(last, [...(byLastPart.get(last) ?? []), path])
  }
  const found = new Map<string, FoundReport>()
  for (const { path, namesakes } of files) {
    const exact = byPath.get(path)
    if (exact) {
      found.set(path, { name: exact.name, by: exact.isGiven ? 'path' : 'prefix' })
      continue
    }
    if (namesakes === null) continue
    const others = new Set(namesakes)
    // A name that is another file's own path means that file.
    const fitting = (byLastPart.get(lastPart(path)) ?? []).filter((name) => !others.has(name) && fits(name, path))
    const [only] = fitting
    if (fitting.length !== 1 || only === undefined) continue
    if (namesakes.some((other) => fits(only, other) && commonParts(only, other) >= commonParts(only, path))) continue
    const name = byPath.get(only)?.name ?? only
    found.set(path, { name, by: 'suffix' })
  }
  return found
}

/** Whether one of two paths is the end of the other. */
const fits = (name: string, path: string) => path.endsWith(`/${name}`) || name.endsWith(`/${path}`)

const lastPart = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function commonParts(one: string, other: string): number {
  const [some, others] = [one, other].map((path) => path.split('/').toReversed())
  let count = 0
  while (some?.[count] !== undefined && some[count] === others?.[count]) count++
  return count
}

/**
 * Guesses the prefix that a project has to set, from the names of reports that fit no file: the longest end that a name has
 * in common with a changed file.
 */
export function suggestPrefix(path: string, names: Iterable<string>): PathPrefix | null {
  let best: { name: string; parts: number } | null = null
  for (const name of names) {
    if (lastPart(name) !== lastPart(path)) continue
    const parts = commonParts(name, path)
    if (parts > (best?.parts ?? 0)) best = { name, parts }
  }
  if (!best) return null
  const { name, parts } = best
  const start = (text: string) =>
    text
      .split('/')
      .slice(0, -parts)
      .map((part) => `${part}/`)
      .join('')
  return { report: start(name), repository: start(path) }
}
