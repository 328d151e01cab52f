import type { Dependency, DependencyKind } from './manifest.ts'

/** Bounds what one manifest can put into a result. */
const maxEntries = 5_000
const maxTextLength = 1_000

export type Table = Record<string, unknown>

/** The value where it is an object with keys, else an empty one: manifests are whatever their authors wrote. */
export function table(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, maxEntries) : []
}

/** Own entries without `__proto__`, which is not a package and would change the prototype of a copy. */
export function entries(value: unknown): [string, unknown][] {
  return Object.entries(table(value))
    .filter(([key]) => key !== '__proto__')
    .slice(0, maxEntries)
}

/** Trimmed text without control characters; undefined for anything else. */
export function text(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const cleaned = String(value)
    .slice(0, maxTextLength)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return cleaned === '' ? undefined : cleaned.toWellFormed()
}

export function texts(value: unknown): string[] {
  return list(value).flatMap((item) => text(item) ?? [])
}

/** Script names and commands; a list of commands counts as one after the other. */
export function scriptTable(value: unknown): Record<string, string> {
  return Object.fromEntries(
    entries(value).flatMap(([name, command]) => {
      const line = Array.isArray(command) ? text(texts(command).join(' && ')) : text(command)
      const key = text(name)
      return key && line ? [[key, line]] : []
    }),
  )
}

/** A table of names and ranges, where a range may be a table with a `version`. */
export function dependencyTable(value: unknown, kind: DependencyKind): Dependency[] {
  return entries(value).flatMap(([key, range]) => {
    const name = text(key)
    const version = text(range) ?? text(table(range).version) ?? ''
    return name ? [{ name, version, kind }] : []
  })
}

/** Lines of a text that a line-wise reader looks at; the rest of an overlong line is not written by people. */
export function shortLines(source: string): string[] {
  return source.split(/\r?\n/, 20_000).map((line) => line.slice(0, maxTextLength))
}
