import type { AiAvoided, AiTarget, TestType } from '../../core/ai/schema.ts'
import type { Candidate, Facts } from './facts.ts'
import { languageOf } from './languages.ts'
import { isSafePath } from './safe-text.ts'
import { isTestFile } from './source-files.ts'
import type { TestingPart } from '../../engines/test-plan/schema.ts'
import { isCollected, whyUncollected } from '../../engines/test-plan/test-home.ts'
import { isTestSetup } from '../../engines/test-names/roles.ts'

/** All paths that a request names. */
export function knownPaths(facts: Facts, sources: readonly { path: string }[] = []): Set<string> {
  return new Set([...facts.files, ...facts.candidates, ...sources].map(({ path }) => path))
}

/** Finds a candidate by its name, with or without its qualifier. */
export function findCandidate(facts: Facts, path: string, symbol: string | null | undefined): Candidate | undefined {
  if (symbol === null || symbol === undefined) return undefined
  const here = facts.candidates.filter((candidate) => candidate.path === path)
  const alike = here.filter((candidate) => lastName(candidate.symbol) === lastName(symbol))
  return here.find((candidate) => candidate.symbol === symbol) ?? (alike.length === 1 ? alike[0] : undefined)
}

const lastName = (symbol: string) => symbol.split(/[.:#\\]+/).at(-1)

/**
 * Returns whether a new test may have this path: inside the repository, in no hidden or vendor folder, and where a run
 * collects it or, if that is not known, named like a test.
 */
export function isPlaceForTest(path: string, testing: readonly TestingPart[] = []): boolean {
  return (
    isSafePath(path) &&
    path.split('/').every((segment) => !segment.startsWith('.') && segment !== 'node_modules') &&
    languageOf(path, undefined) !== undefined &&
    whyUncollected(path, testing) === undefined &&
    (isCollected(path, testing) || isTestFile({ path, size: 0, language: undefined, tags: [] })) &&
    !isTestSetup(path)
  )
}

/** Returns whether the list of tests to avoid contains this test. An entry without a symbol means the whole file. */
export function isAvoided(
  avoid: readonly AiAvoided[] | undefined,
  { path, symbol, testType }: { path: string; symbol: string | undefined; testType: TestType },
): boolean {
  return (avoid ?? []).some(
    (entry) =>
      entry.file_path === path &&
      entry.symbol === symbol &&
      (entry.test_type === undefined || entry.test_type === testType),
  )
}

/** Adds the facts of the analysis to a target. */
export function completeTarget(facts: Facts, target: AiTarget): AiTarget {
  const candidate = findCandidate(facts, target.path, target.symbol)
  return candidate === undefined ? target : { ...targetOf(candidate), ...target, symbol: candidate.symbol }
}

export const targetOf = ({ path, symbol, startLine, endLine }: Candidate): AiTarget => ({
  path,
  symbol,
  ...(startLine !== undefined && { startLine, endLine: Math.max(startLine, endLine ?? startLine) }),
})
