import type { SymbolReach } from './call-reach.ts'
import type { FileReach } from './file-reach.ts'

/*
 * The figures are fitted to the measured coverage of eight repositories; `bench/ranking.ts` checks them on others.
 * Chains of calls tell more than how many imports lie between a file and the tests.
 */
const calledByTest = 0.92
/** Kept of it with each call in between. */
const perCall = 0.94
/** A function handed on may sit behind a branch of the one around it; a member of a result may never be used. */
const asCallback = 0.9
const asMember = 0.65
/** Accessors, operators and the like of a type that tests use. */
const asImplicit = 0.8
const calledElsewhere = 0.55
/** Files that no test leads to are run by accident at most. */
const unreached = 0.02

/**
 * What is left of it when tests do not come to the file directly, and what to expect where no call is seen at all: a
 * test that is named after the file may reach a handler that only a framework calls.
 */
const byRung = {
  'named-and-imported': { kept: 1, neverCalled: 0.62 },
  named: { kept: 1, neverCalled: 0.62 },
  imported: { kept: 0.97, neverCalled: 0.47 },
  near: { kept: 0.92, neverCalled: 0.33 },
  far: { kept: 0.75, neverCalled: 0.28 },
} as const

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

/** Share of a symbol's lines that tests are likely to run, before any report says so. */
export function estimatedCoverage(rung: Rung, reach: SymbolReach): number {
  if (rung === 'unreached') return unreached
  const { kept, neverCalled } = byRung[rung]
  if (reach.kind === 'never-called') return neverCalled
  if (reach.kind === 'called-elsewhere') return calledElsewhere * kept
  if (reach.kind === 'called-by-test') return calledByTest * kept
  const throughCalls = calledByTest * perCall ** reach.steps * kept
  if (reach.kind === 'called-through') return throughCalls
  if (reach.kind === 'implicit') return throughCalls * asImplicit
  return throughCalls * (reach.callback ? asCallback : asMember)
}
