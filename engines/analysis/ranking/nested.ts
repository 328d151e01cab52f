import type { SymbolFact } from '../../parsing/types.ts'

/** A symbol with the functions inside of it, which only it can run. */
export interface Folded {
  symbol: SymbolFact
  /** Position among the symbols of its file. */
  index: number
}

/**
 * Returns the symbols that are not functions inside another function, in their order. Branches of the functions inside
 * count for the one around them; its lines and statements include theirs already.
 */
export function foldNested(symbols: readonly SymbolFact[]): Folded[] {
  const kept: Folded[] = []
  /** What is open at the current symbol, from outside in. */
  const around: { symbol: SymbolFact; owner: Folded }[] = []
  for (const [index, symbol] of symbols.entries()) {
    while (around.length > 0 && !isInside(symbol, around.at(-1)?.symbol)) around.pop()
    const owner =
      symbol.kind === 'function' ? around.findLast((outer) => outer.symbol.kind !== 'class')?.owner : undefined
    if (owner) {
      owner.symbol = { ...owner.symbol, complexity: owner.symbol.complexity + symbol.complexity - 1 }
      around.push({ symbol, owner })
    } else {
      const own = { symbol, index }
      kept.push(own)
      around.push({ symbol, owner: own })
    }
  }
  return kept
}

/** Symbols share lines, so that their names decide as well. */
function isInside(symbol: SymbolFact, outer: SymbolFact | undefined): boolean {
  return (
    outer !== undefined &&
    outer.startLine <= symbol.startLine &&
    symbol.endLine <= outer.endLine &&
    symbol.name.startsWith(`${outer.name}.`)
  )
}
