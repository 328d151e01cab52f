import { stripVTControlCharacters } from 'node:util'

/** Shortens a text to `max` characters. Replaces the middle by a note, because both ends matter most. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const gap = `\n… ${text.length - max} characters left out …\n`
  const room = max - gap.length
  if (room < 40) return withoutHalves(`${text.slice(0, Math.max(0, max - 1))}…`.slice(0, max))
  const head = Math.ceil(room * 0.6)
  return `${withoutHalves(text.slice(0, head))}${gap}${withoutHalves(text.slice(text.length - (room - head)))}`
}

/** Removes half surrogate pairs, which a cut can leave. */
function withoutHalves(text: string): string {
  return text.isWellFormed() ? text : text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF](?=…?$)/g, '')
}

// A quick check first, because most texts have no control characters.
// oxlint-disable-next-line no-control-regex -- the pattern looks for them
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/
// oxlint-disable-next-line no-control-regex -- the pattern removes them
const everyControl = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** Removes colors, control characters other than tab and newline, and lone surrogates. */
export function plainText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  if (!controls.test(wellFormed)) return wellFormed
  return stripVTControlCharacters(wellFormed).replace(/\r\n?/g, '\n').replace(everyControl, '')
}

/** Returns the first line with a letter or digit, or an empty text. */
export function firstLine(text: string): string {
  return /\S[^\n\r]*/.exec(text)?.[0].trimEnd() ?? ''
}

/**
 * Returns a path inside the repository, with slashes and without `.` and `..`. Returns null for a path outside of the
 * repository, for the root itself, and for absolute paths that are not below one of the roots.
 */
export function relativePath(path: string, roots: readonly string[]): string | null {
  const given = withSlashes(path)
  if (given === '' || given.includes('\n') || given.includes('\0')) return null
  if (!isAbsolute(given)) return normalized(given)
  for (const root of roots) {
    const prefix = withSlashes(root).replace(/(?<!\/)\/+$/, '')
    if (given.startsWith(`${prefix}/`)) return normalized(given.slice(prefix.length + 1))
  }
  return null
}

/** The characters of a path before its line number or the end of a quotation. */
const pathAhead = /^[^\s'"`:;,()[\]<>]+/

/**
 * Replaces absolute paths of files in a text by their paths in the repository. Leaves other paths as they are, because
 * they can be values of the program.
 */
export function withRepositoryPaths(text: string, root: string, files: ReadonlySet<string>): string {
  const [first = '', ...others] = text.split(`${root}/`)
  return others.reduce((before, after) => {
    const [path = ''] = pathAhead.exec(after) ?? []
    return files.has(path) ? `${before.replace(/file:\/\/$/, '')}${after}` : `${before}${root}/${after}`
  }, first)
}

function withSlashes(path: string): string {
  const text = path.trim()
  if (!text.startsWith('file://')) return text.replaceAll('\\', '/')
  const rest = text.slice('file://'.length).replace(/^\/(?=[A-Za-z]:)/, '')
  try {
    return decodeURIComponent(rest)
  } catch (error) {
    // The path has a percent sign that is not an encoding.
    if (error instanceof URIError) return rest
    throw error
  }
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z][A-Za-z\d+.-]*:/.test(path)
}

function normalized(path: string): string | null {
  // Most paths are in order, and reports name many.
  if (!/(?:^|\/)(?:\.{0,2})(?:\/|$)/.test(path)) return isAbsolute(path) ? null : path
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.length === 0 || isAbsolute(parts[0] ?? '') ? null : parts.join('/')
}
