import { z } from 'zod'
import { Suggestion } from '../../core/ai/schema.ts'
import { TestBrief, TestCandidate, TestCase } from '../../engines/analysis/schema.ts'
import { TestingPart } from '../../engines/test-plan/schema.ts'
import { suggestionWords, testingLine } from '../../client/suggestion-words.ts'
import { first, maybe, untrusted } from './untrusted.ts'

const Path = untrusted.name(400)
const Code = untrusted.line(300)
const Excerpt = untrusted.line(100)

export const ThroughFact = TestCandidate.shape.through.unwrap().extend({ path: Path, symbol: untrusted.name(200) })

const CaseFact = TestCase.extend({
  id: untrusted.name(100),
  condition: Code,
  result: Code.optional(),
})

const BriefFact = TestBrief.extend({
  framework: untrusted.line(60),
  testFile: TestBrief.shape.testFile.extend({ path: Path }),
  command: untrusted.line(400).optional(),
  import: untrusted.line(400).optional(),
  signature: untrusted.line(400).optional(),
  construct: Code.optional(),
  parameters: z
    .array(
      TestBrief.shape.parameters.unwrap().element.extend({
        name: untrusted.name(100),
        type: untrusted.line(200).optional(),
      }),
    )
    .optional(),
  nearestTest: TestBrief.shape.nearestTest
    .unwrap()
    .extend({ path: Path, helpers: z.array(untrusted.name(100)) })
    .optional(),
})

export const SuggestionFact = Suggestion.extend({
  id: untrusted.name(100).optional(),
  file_path: Path,
  description: untrusted.line(1_000),
  rationale: untrusted.line(1_000),
  /** With `detail`. */
  example_code: untrusted.text(5_000).optional(),
  target: Suggestion.shape.target
    .unwrap()
    .extend({ symbol: untrusted.name(200) })
    .optional(),
  case_ids: maybe(z.array(untrusted.name(100))),
  cases: maybe(z.array(CaseFact)),
  /** `find_weak_tests` has more. */
  unnoticed: maybe(first(2, z.object({ line: z.int(), original: Excerpt, replacement: Excerpt }))),
  brief: BriefFact.optional(),
  through: ThroughFact.optional(),
})
export type SuggestionFact = z.infer<typeof SuggestionFact>

/** How the project is tested. */
export const TestingFact = TestingPart.extend({
  directory: Path,
  framework: untrusted.line(60),
  command: untrusted.line(400),
  fileCommand: untrusted.line(400).optional(),
  testFiles: z.array(Path).optional(),
})
export type TestingFact = z.infer<typeof TestingFact>

/**
 * Writes suggestions as an agent reads them: how the project is tested once, then for each suggestion its place, its cases
 * and what the author of the test needs to know, in about 200 tokens.
 */
export function suggestionsText(suggestions: readonly SuggestionFact[], testing: readonly TestingFact[] | undefined) {
  const how = testingLine(
    testing,
    suggestions.map(({ brief }) => brief),
  )
  const lines = suggestions.flatMap((suggestion, index) => {
    const words = suggestionWords({ example_code: '', ...suggestion }, 'agent')
    const id = suggestion.id === undefined ? '' : ` (id ${suggestion.id})`
    const kind = suggestion.test_type === 'unit' ? '' : ` (${suggestion.test_type})`
    return [`${index + 1}. ${words.place}${kind}${id}`, ...words.lines.map((line) => `   ${line}`)]
  })
  return {
    ...(how === undefined ? {} : { testing: how }),
    ...(lines.length > 0 ? { suggestions: `${lines.join('\n')}\n` } : {}),
  }
}
