import type { Dialect } from '../dialects.ts'
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
    const tree = await readSourceTree(new TextDecoder().decode(content), dialect, options)
    return { symbols: places.map((): SymbolDescription | null => (tree ? { cases: [] } : null)) }
  } catch (error) {
    return { unparsed: error instanceof ParseFailure ? error.reason : 'error' }
  }
}
