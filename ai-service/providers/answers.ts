import { z } from 'zod'
import { TestType } from '../../core/ai/schema.ts'

/** Models omit it instead of writing null, against the schema. */
const TargetSymbol = z.preprocess((given) => given ?? null, z.string().nullable())

/**
 * What models are asked to answer with. Plain shapes alone: the strict modes of providers take no bounds, want every
 * field, and read a field that may be missing as one that may be null.
 */
const SuggestionAnswer = z.object({
  file_path: z.string(),
  symbol: TargetSymbol,
  test_type: TestType,
  description: z.string(),
  rationale: z.string(),
  example_code: z.string(),
})
export type SuggestionAnswer = z.infer<typeof SuggestionAnswer>

const TestAnswer = z.object({
  name: z.string(),
  file: z.string(),
  test_type: TestType,
  framework: z.string(),
  code: z.string(),
  covers: z.string(),
  target_path: z.string(),
  target_symbol: TargetSymbol,
})
export type TestAnswer = z.infer<typeof TestAnswer>

export const SuggestAnswer = z.object({ summary: z.string(), suggestions: z.array(SuggestionAnswer) })
export type SuggestAnswer = z.infer<typeof SuggestAnswer>

export const GenerateAnswer = z.object({ tests: z.array(TestAnswer) })
export type GenerateAnswer = z.infer<typeof GenerateAnswer>

export const AnalyzeAnswer = z.object({ summary: z.string(), recommendations: z.array(z.string()) })
export type AnalyzeAnswer = z.infer<typeof AnalyzeAnswer>

/** The elements that fit, of which there must be one. */
const usable = <Element extends z.ZodType>(element: Element) =>
  z
    .array(z.unknown())
    .transform((list) =>
      list.flatMap((value) => {
        const parsed = element.safeParse(value)
        return parsed.success ? [parsed.data] : []
      }),
    )
    .refine((list) => list.length > 0)

/** For answers that are wrong twice: one bad element is no reason to throw the others away. */
export const UsableSuggestions = z.object({ summary: z.string().catch(''), suggestions: usable(SuggestionAnswer) })
export const UsableTests = z.object({ tests: usable(TestAnswer) })
