import { z } from 'zod'
import {
  AiGeneratedTest,
  AiGenerateRequest,
  AiGenerateResponse,
  AiSuggestRequest,
  AiSuggestResponse,
  Suggestion,
} from '../core/ai/schema.ts'

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

/** `POST /suggest-tests`. Core defines the schema, so that both sides use the same one. */
export const SuggestTestsRequest = AiSuggestRequest
export type SuggestTestsRequest = AiSuggestRequest

export const SuggestTestsResponse = AiSuggestResponse
export type SuggestTestsResponse = AiSuggestResponse

/** The answer of a provider. The route adds commit and count. */
export const SuggestedTests = z.object({
  summary: z.string(),
  suggestions: z.array(Suggestion),
  warnings: z.array(z.string()).optional(),
})
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

/** General advice about a repository of which only the name is known. */
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

/** `POST /generate-tests`. Core defines this schema too. */
export const GenerateTestsRequest = AiGenerateRequest
export type GenerateTestsRequest = AiGenerateRequest

export const GenerateTestsResponse = AiGenerateResponse
export type GenerateTestsResponse = AiGenerateResponse

export const GeneratedTest = AiGeneratedTest
export type GeneratedTest = AiGeneratedTest

export const ErrorBody = z.object({
  error: z.string(),
  message: z.string(),
  code: z.string(),
  requestId: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>
