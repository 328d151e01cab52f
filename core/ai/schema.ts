import { z } from 'zod'
import { AnalysisResult, TestBrief, TestCandidate, TestCase } from '../../engines/analysis/schema.ts'

export const TestType = z.enum(['unit', 'integration', 'e2e'])
export type TestType = z.infer<typeof TestType>

/** The main API passes the field names of the AI service on unchanged. */
export const Suggestion = z.object({
  id: z.string().optional(),
  file_path: z.string(),
  test_type: TestType,
  description: z.string(),
  rationale: z.string(),
  example_code: z.string(),
  target: z.object({ symbol: z.string(), startLine: z.int().positive(), endLine: z.int().positive() }).optional(),
  /** The cases of the candidate that the test is for, by id. */
  case_ids: z.array(z.string().max(100)).max(50).optional(),
  /** These cases, or without `case_ids` the open ones of the candidate. Core adds this and the following fields. */
  cases: z.array(TestCase).optional(),
  /** How many other open cases the candidate has. */
  moreCases: z.int().positive().optional(),
  hasUncountedCases: TestCandidate.shape.hasUncountedCases,
  /** Small changes of the code that tests run and accept, where that was measured. */
  unnoticed: TestCandidate.shape.strength.unwrap().shape.survivors.optional(),
  brief: TestBrief.optional(),
  through: TestCandidate.shape.through,
})
export type Suggestion = z.infer<typeof Suggestion>

const repositoryPath = z.string().min(1).max(1_024)

/** Source code for the model. The sender cuts it to a budget, and the AI service cuts it again to fit the model. */
export const AiSource = z.object({
  path: repositoryPath,
  content: z.string().max(524_288),
  /** The line number at which the content begins. */
  startLine: z.int().positive().optional(),
})
export type AiSource = z.infer<typeof AiSource>

/** Code that needs no further test: it has one, one was suggested before, or the user declined one. */
export const AiAvoided = z.object({
  file_path: repositoryPath,
  symbol: z.string().max(500).optional(),
  test_type: TestType.optional(),
  description: z.string().max(2_000).optional(),
})
export type AiAvoided = z.infer<typeof AiAvoided>

/** The file, or the part of a file, to write tests for. */
export const AiTarget = z.object({
  path: repositoryPath,
  symbol: z.string().max(500).optional(),
  startLine: z.int().positive().optional(),
  endLine: z.int().positive().optional(),
})
export type AiTarget = z.infer<typeof AiTarget>

const repositoryMaterial = {
  /** The source of the best candidates, or of the target and what it needs; best first. */
  sources: z.array(AiSource).max(200).optional(),
  /** Tests of the project as style examples, the nearest first. */
  style_examples: z.array(AiSource).max(50).optional(),
  avoid: z.array(AiAvoided).max(1_000).optional(),
}

/** `POST /suggest-tests` of the AI service. */
export const AiSuggestRequest = z.object({
  analysis: AnalysisResult,
  max_suggestions: z.int().min(1).max(50).default(10),
  ...repositoryMaterial,
})
export type AiSuggestRequest = z.infer<typeof AiSuggestRequest>

export const AiSuggestResponse = z.object({
  commit_sha: z.string(),
  summary: z.string(),
  suggestions: z.array(Suggestion),
  suggestion_count: z.int(),
  /** The parts of the request or of the model's answer that were dropped, and why. */
  warnings: z.array(z.string()).optional(),
})
export type AiSuggestResponse = z.infer<typeof AiSuggestResponse>

/** Accepts capitals, because the main API spells test types in capitals. */
const RequestedTestType = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(z.enum([...TestType.options, 'all'], 'must be unit, integration, e2e or all'))

const label = z.string().trim().min(1).max(200)

/** `POST /generate-tests` of the AI service. */
export const AiGenerateRequest = z.object({
  /** An AnalysisResult, or any other description of the code. */
  code_analysis: z.record(z.string(), z.unknown()),
  test_type: RequestedTestType.nullish(),
  /** The test framework to use. An unknown one is ignored. */
  framework: label.nullish(),
  /** Informational, like `ai_model`: the environment of the service decides. */
  ai_provider: z.string().max(200).nullish(),
  ai_model: z.string().max(200).nullish(),
  /** Defaults to the best candidates of the analysis. */
  target: AiTarget.optional(),
  /** The maximum number of tests. Each test is a separate file. */
  count: z.int().min(1).max(10).optional(),
  /** The suggestion to implement. */
  suggestion: z
    .object({
      description: z.string().max(8_192),
      rationale: z.string().max(8_192),
      example_code: z.string().max(65_536),
      case_ids: z.array(z.string().max(100)).max(50),
    })
    .partial()
    .optional(),
  ...repositoryMaterial,
})
export type AiGenerateRequest = z.infer<typeof AiGenerateRequest>

export const AiGeneratedTest = z.object({
  name: z.string(),
  /** The path of the test in the repository. */
  file: z.string(),
  code: z.string(),
  /** Describes what the test covers. */
  coverage: z.string(),
  framework: z.string().optional(),
  target: AiTarget.optional(),
  /** The cases of the target that the test covers, by id. */
  case_ids: z.array(z.string().max(100)).max(50).optional(),
})
export type AiGeneratedTest = z.infer<typeof AiGeneratedTest>

export const AiGenerateResponse = z.object({
  tests: z.object({
    unit_tests: z.array(AiGeneratedTest).optional(),
    integration_tests: z.array(AiGeneratedTest).optional(),
    e2e_tests: z.array(AiGeneratedTest).optional(),
  }),
  /** The percentage of the analysis candidates that these tests cover. */
  coverage_estimate: z.number().min(0).max(100),
  test_count: z.int().nonnegative(),
  execution_time: z.string(),
  warnings: z.array(z.string()).optional(),
})
export type AiGenerateResponse = z.infer<typeof AiGenerateResponse>
