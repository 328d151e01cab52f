import { declarationReader } from '../declarations/read-declaration.ts'
import type { Dialect } from '../dialects.ts'
import { languageOf } from '../cases/languages/index.ts'
import { readCases } from '../cases/read-cases.ts'
import { ParseFailure } from '../failure.ts'
import type { ParseOptions } from '../messages.ts'
import { readSourceTree } from './source-tree.ts'
import type { Described, SymbolDescription, SymbolPlace } from './types.ts'

/**
 * Describes symbols of one file, from its bytes alone. Like `parseFile` it can crash this process or take long: call it
 * in a worker of the pool.
 */
export async function describeFile(
  content: Uint8Array,
  dialect: Dialect,
  places: readonly SymbolPlace[],
  options: ParseOptions,
): Promise<Described> {
  try {
    const lines = places.filter(({ isBoundary }) => !isBoundary)
    const wanted = { lines, functions: languageOf(dialect).functions }
    const tree = await readSourceTree(new TextDecoder().decode(content), dialect, options, wanted)
    if (!tree) return { symbols: places.map(() => null) }
    const owners = places.filter(({ isEntry }) => !isEntry)
    const found = readCases(tree, dialect, owners)
    const cases = new Map(owners.map((place, index) => [place, found[index] ?? []]))
    const declarationAt = declarationReader(tree)
    return {
      symbols: places.map((place): SymbolDescription | null => {
        if (place.isBoundary) return null
        const declaration = declarationAt(place)
        const entry = place.entry && declarationAt(place.entry)
        return { cases: cases.get(place) ?? [], ...(declaration && { declaration }), ...(entry && { entry }) }
      }),
    }
  } catch (error) {
    return { unparsed: error instanceof ParseFailure ? error.reason : 'error' }
  }
}
