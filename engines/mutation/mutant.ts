import type { JudgedMutant } from './schema.ts'

/** A small change of a source file; offsets are UTF-16 code units of its text, which has `original` between them. */
export interface Mutant extends JudgedMutant {
  start: number
  end: number
}

/**
 * Adds a space before an expression and a comment at the end of the source, which does not change its behavior. A test
 * that fails with it checks the text.
 */
export function changeNothing(path: string, source: string, mutants: readonly Mutant[]): string {
  const inside = mutants.find(
    ({ operator, start }) => operator !== 'removed_call' && /\S/.test(lineBefore(source, start)),
  )
  const spaced = inside ? `${source.slice(0, inside.start)} ${source.slice(inside.start)}` : source
  return `${spaced}${spaced.endsWith('\n') ? '' : '\n'}${path.endsWith('.py') ? '#' : '//'} \n`
}

const lineBefore = (source: string, offset: number) => source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset)

/** Returns the source with the mutant applied. */
export const applyMutant = (
  source: string,
  { start, end, replacement }: Pick<Mutant, 'start' | 'end' | 'replacement'>,
): string => source.slice(0, start) + replacement + source.slice(end)

/** Whether the source with the mutant applied is this text. */
export function makesText(source: string, mutant: Mutant, text: string): boolean {
  const { start, end, replacement } = mutant
  const length = source.length - (end - start) + replacement.length
  return length === text.length && text.startsWith(replacement, start) && applyMutant(source, mutant) === text
}

/** Converts a mutant to the form that users see: the changed text on one line, shortened. */
export function presentMutant<Operator extends string>({
  path,
  line,
  operator,
  original,
  replacement,
}: Omit<JudgedMutant, 'operator'> & { operator: Operator }): Omit<JudgedMutant, 'operator'> & { operator: Operator } {
  return { path, line, operator, original: excerpt(original), replacement: excerpt(replacement) }
}

const maxExcerptLength = 120

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= maxExcerptLength ? line : `${line.slice(0, maxExcerptLength - 1)}…`
}
