import type { Closeness, FileReach } from './reach.ts'

/**
 * Coverage to expect of a symbol, by the closest thing that calls it. Fitted to the measured coverage of vue,
 * mermaid, the MCP TypeScript SDK and requests: who says a symbol's name tells more than how many imports lie
 * between its file and the tests.
 */
const expected: Record<Exclude<Closeness, 'runs-with-outer'>, number> = {
  'runs-with-class': 0.97,
  'called-by-test': 0.93,
  'called-by-importer': 0.85,
  'called-in-file': 0.82,
  'called-elsewhere': 0.7,
  'never-called': 0.6,
}

/** What is left of it when tests do not come to the file directly. */
const byRung = {
  'named-and-imported': 1,
  named: 0.98,
  imported: 0.98,
  near: 0.85,
  far: 0.7,
} as const

/** Files that no test leads to are run by accident at most. */
const unreached = 0.03
/** A function inside another one may sit behind a branch of it. */
const inner = 0.96

/** How tests come to a file, closest first. */
export type Rung = keyof typeof byRung | 'unreached'

export function rungOf(reach: FileReach): Rung {
  const named = reach.namedTests.length > 0
  const imported = reach.importingTests.length > 0 || reach.distance <= 1
  if (named && imported) return 'named-and-imported'
  if (named) return 'named'
  if (imported) return 'imported'
  if (reach.distance === Infinity) return 'unreached'
  return reach.distance <= 2 ? 'near' : 'far'
}

/**
 * Share of a symbol's lines that tests are likely to run. `outer` is how they get at the function around it, for one
 * that runs as that does.
 */
export function estimatedCoverage(rung: Rung, closeness: Closeness, outer: Closeness | undefined): number {
  if (rung === 'unreached') return unreached
  if (closeness !== 'runs-with-outer') return expected[closeness] * byRung[rung]
  const around = outer === undefined || outer === 'runs-with-outer' ? 'called-in-file' : outer
  return expected[around] * byRung[rung] * inner
}
