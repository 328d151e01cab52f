import { lineCounter } from '../parsing/javascript/lines.ts'
import type { Ranges } from '../coverage/ranges.ts'
import { applyMutant, type Mutant } from './mutant.ts'
import { mutantsOf } from './mutants-of.ts'

export const everyLine: Ranges = [[1, Number.MAX_SAFE_INTEGER]]

/** Returns one line per mutant, such as `3 boundary: a < b -> a <= b`. */
export async function mutantsIn(path: string, source: string, lines = everyLine): Promise<string[]> {
  const mutants = await mutantsOf(path, source, lines)
  return mutants.map((mutant) => {
    const { line, operator, original, replacement } = mutant
    return `${line} ${operator}: ${original} -> ${replacement}`
  })
}

/** Checks the rules for mutants of any source, and returns the violations. */
export function flaws(source: string, mutants: readonly Mutant[], lines = everyLine): string[] {
  const lineOf = lineCounter(source)
  const found: string[] = []
  const changed = new Set<string>()
  for (const mutant of mutants) {
    const { start, end, original, replacement, line } = mutant
    const said = `${mutant.path}:${line} ${original} -> ${replacement}`
    if (source.slice(start, end) !== original) found.push(`${said}: is not what the source says there`)
    if (lineOf(start) > line || lineOf(end) < line) found.push(`${said}: is on another line`)
    if (!lines.some(([first, last]) => line >= first && line <= last)) found.push(`${said}: was not asked for`)
    const result = applyMutant(source, mutant)
    if (result === source) found.push(`${said}: changes nothing`)
    if (changed.has(result)) found.push(`${said}: is there twice`)
    changed.add(result)
  }
  return found
}
