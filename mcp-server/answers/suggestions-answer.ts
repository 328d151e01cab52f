import { z } from 'zod'
import type { SuggestTestsResult } from '../../core/suggestions/schema.ts'
import { whereMeasured } from '../../client/coverage-words.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { shorten } from '../../client/sanitize.ts'
import { describeScope } from '../../client/scope-words.ts'
import { dataNotice, type Form, Page, pageOf } from './output.ts'
import { howToMeasure } from './scope-arguments.ts'
import { SuggestionFact, suggestionsText, TestingFact } from './suggestion-facts.ts'
import { first, maybe, untrusted } from './untrusted.ts'

/** What `suggest_tests` answers. */
export const SuggestionsAnswer = z.object({
  status: z.enum(['completed', 'analyzing', 'measuring']),
  /** Absent if no project has the checkout. */
  projectId: z.string().optional(),
  localPath: untrusted.name(500).optional(),
  commitSha: z.string().optional(),
  /** The page for people; absent if the suggestions are not stored. */
  url: z.string().optional(),
  /** Which state of the checkout was sent. */
  state: maybe(untrusted.line(700)),
  /** The run that measures the coverage. */
  runId: z.string().optional(),
  /** Says so if the call has added the checkout as a project. */
  added: z.string().optional(),
  summary: untrusted.line(1_000),
  scope: untrusted.line(600).optional(),
  coverage: maybe(z.string()),
  suggestions: z.array(SuggestionFact),
  /** How the project is tested, by part. */
  testing: maybe(z.array(TestingFact)),
  warnings: maybe(first(5, untrusted.line(400))),
  ...Page.shape,
  note: z.string().optional(),
  next: z.string().optional(),
})
export type SuggestionsAnswer = z.infer<typeof SuggestionsAnswer>

/** @param detail - with examples, and all facts in the text */
export function answerSuggestions(
  result: SuggestTestsResult,
  { offset, detail, measure }: { offset: number; detail?: boolean | undefined; measure?: boolean | undefined },
) {
  const { commitSha, url, summary, scope, testing, warnings } = result
  const { items, page } = pageOf(result.suggestions, offset, result.suggestions.length)
  const next = scope
    ? 'Nothing to suggest in this scope: widen it, or leave it out.'
    : 'Nothing to suggest: get_analysis with section candidates shows what the analysis found.'
  return {
    status: 'completed' as const,
    commitSha,
    url,
    summary: inWordsOf('tools', summary),
    ...(scope ? { scope: describeScope(scope) } : {}),
    coverage: whereMeasured(result.coverage, measure === true ? undefined : howToMeasure),
    warnings: warnings?.map((warning) => inWordsOf('tools', warning)),
    testing,
    suggestions: items.map(({ example_code, ...suggestion }) =>
      detail === true && example_code !== '' ? { ...suggestion, example_code } : suggestion,
    ),
    ...page,
    note: dataNotice,
    ...(result.suggestions.length === 0 ? { next } : {}),
  }
}

export const suggestionsForm: Form<SuggestionsAnswer> = { textFacts, isTextShort: true }

const maxSummaryBytes = 240

/** Without `detail` the text has what an author of a test needs first. With it, the text has all facts. */
function textFacts({ suggestions, testing, warnings, summary, ...facts }: SuggestionsAnswer) {
  const head = { ...facts, warnings: warnings?.map((warning) => shorten(warning, 200)) }
  if (suggestions.every(({ example_code }) => example_code === undefined)) {
    return { ...head, summary: shorten(summary, maxSummaryBytes), ...suggestionsText(suggestions, testing) }
  }
  const header = sharedHeader(suggestions.map(({ example_code = '' }) => example_code))
  return {
    ...facts,
    warnings,
    summary,
    testing,
    ...(header.length > 0 ? { 'Every example begins with these lines': `${header.join('\n')}\n` } : {}),
    suggestions: suggestions.map(({ target, example_code = '', ...suggestion }) => ({
      ...suggestion,
      target: target && `${target.symbol}, lines ${target.startLine}-${target.endLine}`,
      example_code: example_code.split('\n').slice(header.length).join('\n'),
    })),
  }
}

/** The comment lines at the beginning of all examples. */
function sharedHeader(examples: readonly string[]): string[] {
  const [first, ...others] = examples.map((example) => example.split('\n'))
  if (!first || others.length === 0) return []
  const end = first.findIndex(
    (line, index) => !/^(?:\/\/|# )/.test(line) || others.some((other) => other[index] !== line),
  )
  return first.slice(0, Math.max(0, end))
}
