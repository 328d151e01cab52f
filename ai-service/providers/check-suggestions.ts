import type { Suggestion } from '../../core/ai/schema.ts'
import type { RepositoryMaterial } from '../prompts/material.ts'
import { openCases } from '../repository/case-words.ts'
import type { Candidate, Facts } from '../repository/facts.ts'
import { findCandidate, isAvoided, knownPaths } from '../repository/known-places.ts'
import { codeLines, isSafePath, oneLine } from '../repository/safe-text.ts'
import type { SuggestedTests } from '../schema.ts'
import type { Redact } from '../secrets.ts'
import type { SuggestAnswer, SuggestionAnswer } from './answers.ts'

const maxProse = 2_000
const maxCode = 32_768

interface Checking extends RepositoryMaterial {
  facts: Facts
  maxSuggestions: number
  redact: Redact
}

/** Keeps the suggestions of a model's answer that are for files of the analysis. */
export function checkSuggestions(answer: SuggestAnswer, checking: Checking): SuggestedTests {
  const { facts, redact } = checking
  const paths = knownPaths(facts, checking.sources)
  const seen = new Set<string>()
  const left = { foreign: 0, avoided: 0, cases: 0 }
  const suggestions: Suggestion[] = []
  for (const suggested of answer.suggestions) {
    if (suggestions.length === checking.maxSuggestions) break
    const candidate = findCandidate(facts, suggested.file_path, suggested.symbol)
    const about = { path: suggested.file_path, symbol: candidate?.symbol, testType: suggested.test_type }
    const key = JSON.stringify(about)
    if (!isSafePath(about.path) || !paths.has(about.path)) left.foreign++
    else if (isAvoided(checking.avoid, about) || seen.has(key)) left.avoided++
    else {
      suggestions.push(toSuggestion(suggested, { facts, redact }))
      left.cases += new Set(suggested.case_ids).size - chosenCases(suggested, candidate).length
    }
    seen.add(key)
  }
  return {
    summary: oneLine(redact(answer.summary), maxProse),
    suggestions,
    warnings: [
      ...(left.foreign > 0
        ? [`${left.foreign} suggestions were dropped because their file is not in the analysis.`]
        : []),
      ...(left.avoided > 0 ? [`${left.avoided} suggestions were dropped because they repeat others.`] : []),
      ...(left.cases > 0 ? [`${left.cases} case ids were dropped because their candidate has no such open case.`] : []),
    ],
  }
}

/** The open cases of the candidate that the model names. */
export function chosenCases(
  { case_ids }: Pick<SuggestionAnswer, 'case_ids'>,
  candidate: Candidate | undefined,
): string[] {
  const named = new Set(case_ids)
  return openCases(candidate?.cases ?? []).map(({ id }) => id).filter((id) => named.has(id)) // prettier-ignore
}

/**
 * Says which suggestions name no case of their candidate although it has open ones. Contains no text of the repository,
 * because the model reads it outside the fence.
 */
export function wrongCases({ suggestions }: SuggestAnswer, facts: Facts): string | undefined {
  const wrong = suggestions.flatMap((suggested, index) => (hasCases(suggested, facts) ? [] : [`suggestions.${index}`]))
  if (wrong.length === 0) return undefined
  return `In ${wrong.slice(0, 10).join(', ')}, \`case_ids\` must name cases that the material lists for the candidate, at least one if it has any.`
}

/** Whether an answer has nothing, or fewer suggestions that name their cases than another one. */
export function isWorse(second: SuggestAnswer, first: SuggestAnswer, facts: Facts): boolean {
  const good = ({ suggestions }: SuggestAnswer) => suggestions.filter((one) => hasCases(one, facts)).length
  return second.suggestions.length === 0 || good(second) < good(first)
}

function hasCases(suggested: SuggestionAnswer, facts: Facts): boolean {
  const candidate = findCandidate(facts, suggested.file_path, suggested.symbol)
  return chosenCases(suggested, candidate).length > 0 || openCases(candidate?.cases ?? []).length === 0
}

function toSuggestion(suggested: SuggestionAnswer, { facts, redact }: { facts: Facts; redact: Redact }): Suggestion {
  const candidate = findCandidate(facts, suggested.file_path, suggested.symbol)
  const startLine = candidate?.startLine
  const cases = chosenCases(suggested, candidate)
  return {
    file_path: suggested.file_path,
    test_type: suggested.test_type,
    description: oneLine(redact(suggested.description), maxProse),
    rationale: oneLine(redact(suggested.rationale), maxProse),
    example_code: codeLines(redact(suggested.example_code.slice(0, maxCode))),
    ...(candidate !== undefined &&
      startLine !== undefined && {
        target: { symbol: candidate.symbol, startLine, endLine: Math.max(startLine, candidate.endLine ?? 0) },
      }),
    ...(cases.length > 0 && { case_ids: cases }),
  }
}
