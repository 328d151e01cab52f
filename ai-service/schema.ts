import { z } from 'zod'
import { AiSuggestRequest, AiSuggestResponse, Suggestion, TestType } from '../core/analysis/schema.ts'

export const ProviderName = z.enum(['provider_a', 'provider_b', 'mock'])
export type ProviderName = z.infer<typeof ProviderName>

export const ServiceInfo = z.object({ message: z.string(), version: z.string(), status: z.literal('healthy') })
export type ServiceInfo = z.infer<typeof ServiceInfo>

export const Health = z.object({
  status: z.literal('healthy'),
  timestamp: z.iso.datetime(),
  ai_provider: ProviderName,
})
export type Health = z.infer<typeof Health>

export const ActiveProvider = z.object({ provider: ProviderName })
export type ActiveProvider = z.infer<typeof ActiveProvider>

/** `POST /suggest-tests`: the wire is core's, so that both sides read one schema. */
export const SuggestTestsRequest = AiSuggestRequest
export type SuggestTestsRequest = AiSuggestRequest

export const SuggestTestsResponse = AiSuggestResponse
export type SuggestTestsResponse = AiSuggestResponse

/** What a provider answers; the route adds commit and count. */
export const SuggestedTests = z.object({ summary: z.string(), suggestions: z.array(Suggestion) })
export type SuggestedTests = z.infer<typeof SuggestedTests>

const label = z.string().trim().min(1).max(200)

/** `POST /analyze`, kept for clients that predate `/suggest-tests`. */
export const AnalyzeRequest = z.object({
  repository_url: z.string().trim().min(1).max(2_048),
  language: label.nullish(),
  framework: label.nullish(),
  branch: label.nullish(),
})
export type AnalyzeRequest = z.infer<typeof AnalyzeRequest>

/** What a provider has to say about a codebase that it only knows by name. */
export const CodebaseAdvice = z.object({ summary: z.string(), recommendations: z.array(z.string()) })
export type CodebaseAdvice = z.infer<typeof CodebaseAdvice>

export const AnalyzeResponse = z.object({
  repository_url: z.string(),
  language: z.string().nullable(),
  framework: z.string().nullable(),
  branch: z.string().nullable(),
  summary: z.string(),
  recommendations: z.array(z.string()),
  deprecated: z.literal(true),
})
export type AnalyzeResponse = z.infer<typeof AnalyzeResponse>

/** The main API spells test types in capitals, so capitals are understood here too. */
const RequestedTestType = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum([...TestType.options, 'all'], 'must be unit, integration, e2e or all'))

export const GenerateTestsRequest = z.object({
  /** An AnalysisResult, or whatever the caller knows about its code. */
  code_analysis: z.record(z.string(), z.unknown()),
  test_type: RequestedTestType.nullish(),
  /** A test framework to write for. One that nobody knows is ignored. */
  framework: label.nullish(),
  /** For information only, as is the model: the environment chooses the provider. */
  ai_provider: z.string().max(200).nullish(),
  ai_model: z.string().max(200).nullish(),
})
export type GenerateTestsRequest = z.infer<typeof GenerateTestsRequest>

export const GeneratedTest = z.object({
  name: z.string(),
  /** Where the test belongs in the repository. */
  file: z.string(),
  code: z.string(),
  /** What it covers, in words. */
  coverage: z.string(),
})
export type GeneratedTest = z.infer<typeof GeneratedTest>

export const GenerateTestsResponse = z.object({
  tests: z.object({
    unit_tests: z.array(GeneratedTest).optional(),
    integration_tests: z.array(GeneratedTest).optional(),
    e2e_tests: z.array(GeneratedTest).optional(),
  }),
  /** Percent of what the analysis found worth testing that these tests are about. */
  coverage_estimate: z.number().min(0).max(100),
  test_count: z.int().nonnegative(),
  execution_time: z.string(),
})
export type GenerateTestsResponse = z.infer<typeof GenerateTestsResponse>

export const ErrorBody = z.object({
  error: z.string(),
  message: z.string(),
  code: z.string(),
  requestId: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>
