import type { LineCoverage } from '../types.ts'
import type { SymbolFact } from '../../parsing/types.ts'

type LineRange = Pick<SymbolFact, 'startLine' | 'endLine'>

/** Share of a symbol's lines that ran, as a report says; undefined where the report has no line of it. */
export function measuredCoverage(lines: LineCoverage | undefined, symbol: LineRange): number | undefined {
  if (!lines) return undefined
  // The line of the declaration runs when the module is loaded, which says nothing about the body.
  const first = symbol.endLine > symbol.startLine ? symbol.startLine + 1 : symbol.startLine
  return share(lines, first, symbol.endLine) ?? share(lines, symbol.startLine, symbol.endLine)
}

function share(lines: LineCoverage, first: number, last: number): number | undefined {
  let counted = 0
  let covered = 0
  // A broken line range must not cost more than the report has lines.
  if (last - first > lines.size) {
    for (const [line, hits] of lines) {
      if (line < first || line > last) continue
      counted += 1
      if (hits > 0) covered += 1
    }
  } else {
    for (let line = first; line <= last; line += 1) {
      const hits = lines.get(line)
      if (hits === undefined) continue
      counted += 1
      if (hits > 0) covered += 1
    }
  }
  return counted === 0 ? undefined : covered / counted
}
