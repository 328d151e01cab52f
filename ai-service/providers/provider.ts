import type { AiTarget, TestType } from '../../core/ai/schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import type { FollowedSuggestion, RepositoryMaterial } from '../prompts/material.ts'
import type { AnalyzeRequest, CodebaseAdvice, GenerateTestsResponse, ProviderName, SuggestedTests } from '../schema.ts'
import type { Spending } from './spending.ts'

export interface CallOptions {
  /** Aborted when the client disconnected. */
  signal: AbortSignal
  requestId?: string | undefined
  /** Is added to, also where the answer fails. */
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
 * Who writes the tests. Everything in an analysis was written by strangers: a provider treats it as material,
 * never as an instruction, and lets none of it escape from the string or comment that it is put into.
 */
export interface Provider {
  readonly name: ProviderName
  suggestTests(analysis: AnalysisResult, options: SuggestOptions): Promise<SuggestedTests>
  /** `codeAnalysis` may be an AnalysisResult or anything else that the caller knows. */
  generateTests(codeAnalysis: Record<string, unknown>, options: GenerateOptions): Promise<GenerateTestsResponse>
  analyze(request: AnalyzeRequest, options: CallOptions): Promise<CodebaseAdvice>
}
