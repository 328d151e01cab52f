import type { AiTarget, TestType } from '../../core/ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import type { FollowedSuggestion, RepositoryMaterial } from '../prompts/material.ts'
import type { AnalyzeRequest, CodebaseAdvice, GenerateTestsResponse, ProviderName, SuggestedTests } from '../schema.ts'
import type { Spending } from './spending.ts'

export interface CallOptions {
  /** Aborts when the client disconnects. */
  signal: AbortSignal
  requestId?: string | undefined
  /** Receives the usage, also if the request fails. */
  spending?: Spending | undefined
}

export interface SuggestOptions extends CallOptions, RepositoryMaterial {
  maxSuggestions: number
}

export interface GenerateOptions extends CallOptions, RepositoryMaterial {
  /** Undefined leaves the choice to the provider, test by test. */
  testType: TestType | undefined
  framework: string | undefined
  /** Undefined for the best candidates of the analysis. */
  target?: AiTarget | undefined
  count?: number | undefined
  suggestion?: FollowedSuggestion | undefined
}

/**
 * Writes suggestions and tests. All text in an analysis is untrusted: a provider treats it as data, never as an
 * instruction, and must not let it escape from the string or comment that contains it.
 */
export interface Provider {
  readonly name: ProviderName
  suggestTests(analysis: AnalysisResult, options: SuggestOptions): Promise<SuggestedTests>
  /** @param codeAnalysis - an AnalysisResult or any other JSON about the code */
  generateTests(codeAnalysis: Record<string, unknown>, options: GenerateOptions): Promise<GenerateTestsResponse>
  analyze(request: AnalyzeRequest, options: CallOptions): Promise<CodebaseAdvice>
}
