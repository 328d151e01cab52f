import type { Dialect } from '../dialects.ts'
import { readCases } from '../cases/read-cases.ts'
import { ParseFailure } from '../failure.ts'
import type { ParseOptions } from '../messages.ts'
import { readSourceTree } from './source-tree.ts'
import type { Described, SymbolPlace } from './types.ts'

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
    const wanted = places.filter(({ isBoundary }) => !isBoundary)
    const tree = await readSourceTree(new TextDecoder().decode(content), dialect, options, wanted)
    if (!tree) return { symbols: places.map(() => null) }
    return {
      symbols: readCases(tree, dialect, places).map((cases, index) => (places[index]?.isBoundary ? null : { cases })),
    }
  } catch (error) {
    return { unparsed: error instanceof ParseFailure ? error.reason : 'error' }
  }
}
