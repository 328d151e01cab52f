import { normalizeName, testKey } from '../../test-names/test-name.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { Reached } from './call-reach.ts'
import type { SymbolIndex } from './symbol-index.ts'

/**
 * The tests that use the class of a member and are named after it, best first: `test_lru.py` for a member of `LRUCache`.
 * Other tests may use the class only to test something else.
 */
export function ownerTests(
  tree: SourceTree,
  symbols: SymbolIndex<Reached>,
  { file, type, typeName }: Reached,
): readonly number[] {
  if (type === '') return []
  const owners = symbols.inFile(file, typeName).filter((one) => one.symbol.name === type || one.type === type)
  const tests = [...new Set(owners.flatMap((owner) => owner.tests))]
  const known = tests.map((test) => ({ test, likeness: likeness(tree.pathOf(test), typeName) }))
  return known
    .filter((one) => one.likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ test }) => test)
}

/** A test may be named after the first words of a class: `test_lru.py`. `command.action.test.js` is about an action. */
function likeness(test: string, typeName: string): number {
  const key = testKey(test)
  const written = typeName.replace(/[^\p{L}\p{N}]/gu, '')
  const type = normalizeName(typeName)
  if (key === type || key === `${type}s`) return 2
  return key !== '' && type.startsWith(key) && /^\p{Lu}/u.test(written.slice(key.length)) ? 1 : 0
}
