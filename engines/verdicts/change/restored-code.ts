import type { JudgedMutant } from '../../mutation/schema.ts'
import { isBlankOrComment } from './comments.ts'
import type { ChangeFacts } from './facts.ts'

/**
 * Returns the survivors that restore code which the change removed. The tests pass with the old and with the new code,
 * so they cannot tell whether both behave the same.
 */
export function restoringSurvivors({ mutation, files, sources, sourcesBefore }: ChangeFacts): JudgedMutant[] {
  const survivors = mutation?.judged.flatMap(({ mutant, outcome }) => (outcome === 'survived' ? mutant : [])) ?? []
  if (survivors.length === 0) return []
  const code = files.filter(({ kind }) => kind === 'code')
  const removed = new Map(code.map((file) => [file.path, removedLines(file, sourcesBefore)]))
  const everywhere = [...removed.values()].flat()
  const added = new Set(code.flatMap(({ path, change }) => (change === 'added' ? path : [])))
  return Map.groupBy(survivors, ({ path }) => path)
    .entries()
    .flatMap(([path, mutants]) => {
      // A new file may contain code of any other file.
      const old = added.has(path) ? everywhere : (removed.get(path) ?? [])
      if (old.length === 0) return []
      const lines = new Set(old)
      const text = squeeze(old.join('\n'))
      const now = sources.get(path)?.split('\n') ?? []
      return mutants.filter(
        (mutant) => lines.has(mutatedLine(mutant, now[mutant.line - 1])) || restoresExpression(mutant, text),
      )
    })
    .toArray()
}

function removedLines(
  { before, path, removed = [] }: ChangeFacts['files'][number],
  sourcesBefore: ChangeFacts['sourcesBefore'],
): string[] {
  const text = before === null ? undefined : sourcesBefore.get(before)?.split('\n')
  if (text === undefined) return []
  return removed.flatMap(([first, last]) =>
    text
      .slice(first - 1, last)
      .filter((line) => !isBlankOrComment(line, path))
      .map(squeeze),
  )
}

/** Returns the line with the mutant, or nothing that a line contains if the mutant concerns several lines. */
function mutatedLine({ original, replacement }: JudgedMutant, line: string | undefined): string {
  const [before, ...after] = line === undefined || original === '' ? [] : line.split(original)
  // If the text occurs more than once, it is unknown which one the mutant replaces.
  return before === undefined || after.length !== 1 ? '\0' : squeeze(`${before}${replacement}${after[0]}`)
}

/** An operator between two operands. */
const hasOperator = /[\w)\]'"`](?:[^\w\s.,;()[\]{}'"`]{1,3}| (?:and|or|is|in|not) )[\w([{'"`]/

function restoresExpression({ original, replacement }: JudgedMutant, removed: string): boolean {
  // A single name or value may be anywhere by accident.
  const wanted = squeeze(replacement)
  if (!hasOperator.test(wanted)) return false
  return contains(removed, wanted) && !contains(removed, squeeze(original))
}

/** Removes blanks except those between names, because formatting differs. */
const squeeze = (text: string) => text.replace(/\s+/g, ' ').replace(/(?<!\w) | (?!\w)/g, '')

/** Whether the text contains the code, and not only as a part of longer names: `a < b` is not in `data < b`. */
function contains(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isWhole = !isInName(text, at) && !isInName(text, at + wanted.length)
    if (isWhole) return true
  }
  return false
}

const isInName = (text: string, at: number) => isOfName(text[at - 1]) && isOfName(text[at])
const isOfName = (character: string | undefined) => character !== undefined && /[\w$]/.test(character)
