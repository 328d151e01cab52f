import type { AiAvoided, AiSource, AiTarget } from '../../core/ai/schema.ts'
import { describeCase, openCases } from '../repository/case-words.ts'
import type { Brief, Candidate, Facts } from '../repository/facts.ts'
import { oneLine } from '../repository/safe-text.ts'
import type { Section } from './fence.ts'

/** What the caller adds to the analysis. */
export interface RepositoryMaterial {
  sources?: readonly AiSource[] | undefined
  style_examples?: readonly AiSource[] | undefined
  avoid?: readonly AiAvoided[] | undefined
}

export function projectSection(facts: Facts): Section {
  const named = (list: Facts['frameworks']) => list.map(({ name }) => oneLine(name, 100)).join(', ') || 'none known'
  return {
    name: 'project',
    title: 'The project:',
    share: 0.05,
    entries: [
      `name: ${oneLine(facts.projectName ?? 'unknown', 200)}`,
      `test frameworks: ${named(facts.testFrameworks)}`,
      `languages: ${facts.languages.slice(0, 10).map(([name, files]) => `${oneLine(name, 50)} (${files} files)`).join(', ')}`, // prettier-ignore
      `frameworks: ${named(facts.frameworks)}`,
      `files: ${facts.totalFiles}, candidates for tests: ${facts.candidateCount}`,
    ],
  }
}

/** @param detailed - the number of candidates with cases and brief, so that all candidates have room */
export function candidatesSection(facts: Facts, detailed: number): Section {
  return {
    name: 'candidates',
    title: 'Candidates for tests, the best first:',
    share: 0.35,
    entries: facts.candidates.map((candidate, index) => {
      const details = index < detailed ? detailsOf(candidate) : []
      return [`${index + 1}. ${describeCandidate(candidate)}`, ...details].join('\n')
    }),
  }
}

/** The cases that no test is known to run, with their ids, and the brief. Every line is one line of text. */
function detailsOf(candidate: Candidate, wanted?: readonly string[]): string[] {
  const { path, cases, moreCases, hasUncountedCases, brief, through } = candidate
  const open = openCases(cases)
  const chosen = open.filter(({ id }) => wanted?.includes(id) === true)
  const listed = chosen.length > 0 ? chosen : open
  const more =
    moreCases > 0 && chosen.length === 0
      ? [`   - and ${hasUncountedCases ? 'at least ' : ''}${moreCases} more cases`]
      : []
  return [
    ...(through
      ? [`   private: call it through ${oneLine(through.symbol, 500)} of ${oneLine(through.path, 1_024)}`]
      : []),
    ...listed.map((one) => `   - case_id ${oneLine(one.id, 100)}: ${describeCase(one, path)}`),
    ...more,
    ...(brief ? briefLines(brief).map((line) => `   ${line}`) : []),
  ]
}

function briefLines({ testFile, framework, signature, construct, nearestTest, ...brief }: Brief): string[] {
  const facts: [string, string | undefined][] = [
    ['test file', `${testFile.path}${testFile.exists ? ' (exists)' : ''} (${framework})`],
    ['import', brief.import],
    ['signature', signature],
    ['construct', construct],
    ['helpers of the nearest test', nearestTest && nearestTest.helpers.slice(0, 10).join(', ')],
  ]
  return facts.flatMap(([name, text]) => (text ? [`${name}: ${oneLine(text, 500)}`] : []))
}

function describeCandidate(candidate: Candidate): string {
  const { path, symbol, kind, startLine, endLine, reasons, nearestTests } = candidate
  const lines = startLine === undefined ? '' : `, lines ${startLine}-${endLine ?? startLine}`
  const why = reasons.slice(0, 8).map((reason) => oneLine(reason, 200)).join(', ') // prettier-ignore
  const nearest = nearestTests[0] === undefined ? '' : `; nearest test: ${oneLine(nearestTests[0], 300)}`
  const reach = candidate.exported === false ? '; not exported' : ''
  const changes = (candidate.strength?.survivors ?? []).map(({ line, original, replacement }) => `line ${line} "${oneLine(replacement, 120)}" for "${oneLine(original, 120)}"`) // prettier-ignore
  const unnoticed = changes.length === 0 ? '' : `; no test noticed these changes: ${changes.join(', ')}`
  return `file_path: ${oneLine(path, 1_024)}, symbol: ${oneLine(symbol, 500)} (${kind}${lines}): ${why}${unnoticed}${reach}${nearest}`
}

const codeEntry = ({ path, content, startLine = 1 }: AiSource) =>
  `--- ${oneLine(path, 1_024)}${startLine > 1 ? ` from line ${startLine}` : ''}\n${content}`

export const sourcesSection = ({ sources = [] }: RepositoryMaterial): Section => ({
  name: 'sources',
  title: 'Source code:',
  share: 1,
  entries: sources.map(codeEntry),
})

export const styleSection = ({ style_examples: examples = [] }: RepositoryMaterial): Section => ({
  name: 'style',
  title: 'Tests that the project has, as examples of its manner:',
  share: 0.2,
  entries: examples.map(codeEntry),
})

export const avoidSection = ({ avoid = [] }: RepositoryMaterial): Section => ({
  name: 'avoid',
  title: 'What to avoid, because it exists, was suggested before or is not wanted:',
  share: 0.1,
  entries: avoid.map(
    ({ file_path, symbol, test_type, description }) =>
      `- ${oneLine(file_path, 1_024)}${symbol === undefined ? '' : `, ${oneLine(symbol, 500)}`}` +
      `${test_type === undefined ? '' : `, ${test_type}`}${description === undefined ? '' : `: ${oneLine(description, 300)}`}`,
  ),
})

export interface PlacedTarget {
  target: AiTarget
  /** A suggested path for the test. */
  testPath: string
  framework: string
  /** Undefined if the analysis did not rank the target. */
  candidate?: Candidate | undefined
}

/** @param caseIds - the cases that the tests are for; all open ones if the target has none of them */
export const targetsSection = (targets: readonly PlacedTarget[], caseIds?: readonly string[]): Section => ({
  name: 'targets',
  title: targets.length === 1 ? 'The target:' : 'The targets, the most important first:',
  share: 0.2,
  entries: targets.map(({ target, testPath, framework, candidate }) => {
    const { path, symbol, startLine, endLine } = target
    const lines = startLine === undefined ? '' : `, lines ${startLine}-${endLine ?? startLine}`
    const head =
      `target_path: ${oneLine(path, 1_024)}, target_symbol: ${symbol === undefined ? 'null' : oneLine(symbol, 500)}${lines}; ` +
      `suggested file: ${oneLine(testPath, 1_024)}, framework: ${framework}`
    return [head, ...(candidate ? detailsOf(candidate, caseIds) : [])].join('\n')
  }),
})

export interface FollowedSuggestion {
  description?: string | undefined
  rationale?: string | undefined
  example_code?: string | undefined
  /** The cases of the target that the suggestion is for. */
  case_ids?: readonly string[] | undefined
}

export const suggestionSection = (suggestion: FollowedSuggestion = {}): Section => ({
  name: 'suggestion',
  title: 'The tests follow this suggestion:',
  share: 0.1,
  entries: [suggestion.description, suggestion.rationale, suggestion.example_code].flatMap((text) => text ?? []),
})
