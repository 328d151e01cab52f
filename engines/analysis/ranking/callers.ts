import type { SourceTree } from '../graph/source-tree.ts'
import type { Placed } from './order.ts'

/** The tests that call a symbol, or the public entry that leads to a private one. */
export interface Callers {
  tests: readonly string[]
  /** `likely` tests call something of its name; tests that `reach` it use its type, and may never name it. */
  certainty: 'certain' | 'likely' | 'reach'
  /** The tests of its class, best first, for a member that no test names. */
  ownerTests: readonly string[]
}

export function callersOf(tree: SourceTree, placed: Placed, owners: readonly number[]): Callers {
  const pathsOf = (tests: readonly number[]) => [...new Set(tests)].map((test) => tree.pathOf(test))
  return { ...known(placed, pathsOf), ownerTests: pathsOf(owners) }
}

function known(
  { file, symbol, reach, through }: Placed,
  pathsOf: (tests: readonly number[]) => string[],
): Omit<Callers, 'ownerTests'> {
  if (through) {
    const { tests, likelyTests } = through
    return tests.length > 0
      ? { tests: pathsOf(tests), certainty: 'certain' }
      : { tests: pathsOf(likelyTests), certainty: 'likely' }
  }
  if (reach.kind === 'called-by-test') return { tests: pathsOf(reach.tests), certainty: 'certain' }
  if (reach.kind === 'likely-called') return { tests: pathsOf(reach.tests), certainty: 'likely' }
  // Accessors run without a call.
  if (reach.kind !== 'implicit' && symbol.implicit !== true) return { tests: [], certainty: 'reach' }
  const ofType = reach.kind === 'implicit' ? reach.through.tests : []
  return { tests: pathsOf([...ofType, ...file.reach.importingTests]), certainty: 'reach' }
}
