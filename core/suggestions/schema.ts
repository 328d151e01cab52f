import { z } from 'zod'
import { Suggestion } from '../analysis/schema.ts'

/** `open` until a test for it was accepted, or somebody does not want it. */
export const SuggestionStatus = z.enum(['open', 'accepted', 'dismissed'])
export type SuggestionStatus = z.infer<typeof SuggestionStatus>

export const StoredSuggestion = Suggestion.extend({
  id: z.string(),
  projectId: z.string(),
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
