import { z } from 'zod'
import { gitRef, measure, Measurement } from '../analysis/schema.ts'
import { commitSha, url } from '../base/input-fields/schema.ts'
import { type AnalysisResult, AnalysisScope, RankingCoverage, ResolvedScope } from '../../engines/analysis/schema.ts'
import { TestingPart } from '../../engines/test-plan/schema.ts'
import { Suggestion } from '../ai/schema.ts'

/**
 * `open` until a test for it is accepted or a user dismisses it; `outdated` while the latest analysis no longer has its
 * code or its cases, because tests run them, or because they changed.
 */
export const SuggestionStatus = z.enum(['open', 'accepted', 'dismissed', 'outdated'])
export type SuggestionStatus = z.infer<typeof SuggestionStatus>

export const StoredSuggestion = Suggestion.extend({
  id: z.string(),
  projectId: z.string(),
  url,
  commitSha: z.string(),
  status: SuggestionStatus,
  verificationId: z.string().nullable(),
  createdAt: z.iso.datetime(),
})
export type StoredSuggestion = z.infer<typeof StoredSuggestion>

export const ListSuggestions = z.strictObject({
  projectId: z.string(),
  status: SuggestionStatus.optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail: z.string().max(320).optional(),
})
export type ListSuggestions = z.infer<typeof ListSuggestions>

export const SuggestionsPage = z.object({
  suggestions: z.array(StoredSuggestion),
  pagination: z.object({ total: z.int(), limit: z.int(), offset: z.int() }),
})
export type SuggestionsPage = z.infer<typeof SuggestionsPage>

export const SuggestionRef = z.strictObject({ suggestionId: z.string(), userEmail: z.string().max(320).optional() })
export type SuggestionRef = z.infer<typeof SuggestionRef>

export const SuggestTests = z.object({
  projectId: z.string(),
  maxSuggestions: z.int().min(1).max(50).default(10),
  /**
   * Used instead of the stored analysis. The operation validates it as an AnalysisResult, because tRPC would describe each
   * of possibly hundreds of thousands of errors.
   */
  analysisOverride: z
    .custom<z.input<typeof AnalysisResult>>((given) => typeof given === 'object' && given !== null, 'must be an object')
    .optional(),
  /** The commit to suggest tests for, by default the latest analyzed one. For others the suggestions are not stored. */
  branch: gitRef.optional(),
  commitSha: commitSha.optional(),
  /** Suggests tests for this snapshot instead of a commit. The suggestions are not stored. */
  snapshotId: z.string().optional(),
  /** Limits the suggestions to a part of the latest analyzed commit. */
  ...AnalysisScope.shape,
  measure,
  /** How long the call may wait: for the first analysis of a project that has none, and for the run that measures. */
  waitSeconds: z.int().min(0).max(45).default(45),
  userEmail: z.string().optional(),
})
export type SuggestTests = z.infer<typeof SuggestTests>

export const SuggestTestsResult = z.object({
  success: z.literal(true),
  commitSha: z.string(),
  /** The page of the suggestions; absent if they are not stored. */
  url: url.optional(),
  suggestions: z.array(Suggestion),
  summary: z.string(),
  suggestionCount: z.int(),
  /** The measured coverage that the ranking used; null if it was estimated. Absent for an analysis that the caller sent. */
  coverage: RankingCoverage.nullable().optional(),
  /** The part of the repository that the suggestions are limited to. */
  scope: ResolvedScope.optional(),
  /** How the repository is tested, by part. */
  testing: z.array(TestingPart).optional(),
  measurement: Measurement.optional(),
  /** The omitted tests, each with its reason. */
  warnings: z.array(z.string()).optional(),
})
export type SuggestTestsResult = z.infer<typeof SuggestTestsResult>
