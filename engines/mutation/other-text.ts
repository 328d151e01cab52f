import type { Mutant } from './mutant.ts'

const afterSlashes = /\.(?:[cm]?[jt]sx?|go|rs|cs|kts?|swift|scala|dart)$/
const afterHash = /\.(?:pyi?|rb)$/

/** Returns the source with a text as comments at its end, or null if the language has no comments that are safe to add. */
export function withComment(path: string, source: string, text: string): string | null {
  const mark = afterSlashes.test(path) ? '//' : afterHash.test(path) ? '#' : null
  if (mark === null || /^__END__\r?$/m.test(source)) return null
  // Every line break of any language; and no mark that a tool looks for anywhere in a file.
  const lines = text.replaceAll('sourceMappingURL', 'source mapping URL').split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
  return `${source}\n\n${lines.map((line) => `${mark} | ${line}\n`).join('')}`
}

/**
 * Returns the source with another text and the same behavior: blanks around the expressions that have mutants, and
 * `before` as comments at its end. A test whose result differs checks the text.
 */
export function otherText(path: string, source: string, mutants: readonly Mutant[], before: string): string | null {
  const inLine = mutants.filter(
    ({ operator, start }) => !operator.startsWith('removed_') && /\S/.test(lineBefore(source, start)),
  )
  const places = [...new Set(inLine.flatMap(({ start, end }) => [start, end]))].toSorted((a, b) => a - b)
  let from = 0
  let spaced = ''
  for (const place of places) {
    spaced += `${source.slice(from, place)} `
    from = place
  }
  return withComment(path, spaced + source.slice(from), before)
}

const lineBefore = (source: string, offset: number) => source.slice(source.lastIndexOf('\n', offset - 1) + 1, offset)
