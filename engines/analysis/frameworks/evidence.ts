import type { DependencyKind } from '../../manifests/manifest.ts'
import type { FrameworkKind } from './rule.ts'

/** One sign of a framework. Signs of one sort are counted once, the strongest first. */
export interface Evidence {
  sort: 'self' | 'dependency' | 'import' | 'config' | 'script' | 'testFiles' | 'hint'
  confidence: number
  sentence: string
  /** Found where code only shows or tries something: `examples/`, `docs/`, `test/`. */
  example: boolean
}

const maxSentences = 5
/** Examples and fixtures say little of the project. */
const maxForExamples = 0.4
const maxForAny = 0.95

/** A test framework or build tool is at its place among the development dependencies, anything else is not. */
export function dependencyConfidence(kind: DependencyKind, of: FrameworkKind): number {
  if (kind === 'runtime' || kind === 'peer') return 0.85
  return of === 'framework' ? 0.7 : 0.85
}

export const confidences = {
  self: 1,
  /** Files named as the tests of a framework that is part of its language. */
  testFiles: 0.95,
  importOfBuiltIn: 0.85,
  importOnly: 0.6,
  /** Where packages must be declared to be found, undeclared code is text: a fixture, a template. */
  importUndeclared: 0.3,
  script: 0.6,
  config: 0.5,
  hint: 0.3,
} as const

/** The strongest sign, a little more where others support a dependency; two digits, so that results compare equal. */
export function confidenceOf(evidence: readonly Evidence[]): number {
  const own = evidence.filter(({ example }) => !example)
  const counted = own.length > 0 ? own : evidence
  const strongest = Math.max(...counted.map(({ confidence }) => confidence))
  const declared = counted.some(({ sort }) => sort === 'dependency')
  const supported = counted.some(({ sort }) => sort !== 'dependency' && sort !== 'hint')
  const builtIn = counted.filter(({ sort }) => sort !== 'hint').length > 1 ? 0.1 : 0
  const raised = strongest + (declared ? (supported ? 0.1 : 0) : builtIn)
  const limit = own.length === 0 ? maxForExamples : Math.max(strongest, maxForAny)
  return Math.round(Math.min(raised, limit) * 100) / 100
}

/** What to tell a reader: the strongest of each sort, own code before examples. */
export function sentencesOf(evidence: readonly Evidence[]): string[] {
  const sorted = evidence.toSorted((a, b) => Number(a.example) - Number(b.example) || b.confidence - a.confidence)
  const sentences = sorted.map(({ sentence }) => sentence)
  return [...new Set(sentences)].slice(0, maxSentences)
}
