import { z } from 'zod'
import { TestType } from '../../core/ai/schema.ts'

/** Models omit the field instead of writing null, against the schema. */
const TargetSymbol = z.preprocess((given) => given ?? null, z.string().nullable())

const CaseIds = z.preprocess((given) => given ?? [], z.array(z.string()))

/**
 * The formats of answers. They use only plain types, because the strict modes of providers support no bounds, require
 * every field, and treat an optional field as nullable.
 */
const SuggestionAnswer = z.object({
  file_path: z.string(),
  symbol: TargetSymbol,
  case_ids: CaseIds,
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
  case_ids: CaseIds,
})
export type TestAnswer = z.infer<typeof TestAnswer>

export const SuggestAnswer = z.object({ summary: z.string(), suggestions: z.array(SuggestionAnswer) })
export type SuggestAnswer = z.infer<typeof SuggestAnswer>

export const GenerateAnswer = z.object({ tests: z.array(TestAnswer) })
export type GenerateAnswer = z.infer<typeof GenerateAnswer>

export const AnalyzeAnswer = z.object({ summary: z.string(), recommendations: z.array(z.string()) })
export type AnalyzeAnswer = z.infer<typeof AnalyzeAnswer>

/** Keeps the valid elements. Requires at least one. */
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

/** For answers that are invalid twice: keeps the valid elements. */
export const UsableSuggestions = z.object({ summary: z.string().catch(''), suggestions: usable(SuggestionAnswer) })
export const UsableTests = z.object({ tests: usable(TestAnswer) })
