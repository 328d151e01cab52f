import type { JudgedMutant } from '../../engines/mutation/schema.ts'
import type { Sources } from './sources.ts'

/** Replacements in the order in which they are looked for. */
const replacements: readonly [JudgedMutant['operator'], before: string, after: string][] = [
  ['condition', ' === ', ' !== '],
  ['condition', ' !== ', ' === '],
  ['boundary', ' < ', ' <= '],
  ['boundary', ' > ', ' >= '],
  ['condition', ' && ', ' || '],
  ['condition', ' || ', ' && '],
  ['arithmetic', ' + ', ' - '],
  ['return', 'return ', 'return undefined && '],
]

/** Small changes of the real lines of a file, at most `count`. */
export function mutantsAt(
  { files }: Sources,
  path: string,
  startLine: number,
  endLine: number,
  count: number,
): JudgedMutant[] {
  const lines = files.find((file) => file.path === path)?.lines ?? []
  const found: JudgedMutant[] = []
  for (let line = startLine; line <= endLine && found.length < count; line++) {
    const text = lines[line - 1] ?? ''
    const fitting = replacements.find(([, given]) => text.includes(given))
    if (!fitting) continue
    const [operator, given, changed] = fitting
    const original = text.trim()
    found.push({
      path,
      line,
      operator,
      original,
      replacement: original.replace(given.trimStart(), changed.trimStart()),
    })
  }
  return found
}
