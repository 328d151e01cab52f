import { z } from 'zod'
import { userEmail } from '../base/input-fields/schema.ts'

export const SearchKind = z.enum(['project', 'test', 'file', 'run', 'commit', 'suggestion'])
export type SearchKind = z.infer<typeof SearchKind>

export const Find = z.strictObject({
  /** A name, a part of one, an id, or at least 4 characters of a commit id. Case does not matter. */
  query: z.string().trim().min(1).max(200),
  projectId: z.string().optional(),
  organizationId: z.string().optional(),
  kinds: z.array(SearchKind).min(1).max(SearchKind.options.length).optional(),
  limit: z.int().min(1).max(50).default(20),
  userEmail,
})
export type Find = z.infer<typeof Find>

export const Found = z.object({
  kind: SearchKind,
  title: z.string(),
  /** What tells it from others with the same title. */
  detail: z.string(),
  projectId: z.string(),
  projectName: z.string(),
  /** The id of the project, test, run or suggestion, the id of the commit, or the path of the file. */
  id: z.string(),
  at: z.iso.datetime().nullable(),
})
export type Found = z.infer<typeof Found>

export const SearchResults = z.object({
  /** The best first. Kinds take turns. */
  results: z.array(Found),
  /** False if the projects have more tests or files than one search looks at. Give a projectId to look at more. */
  isComplete: z.boolean(),
})
export type SearchResults = z.infer<typeof SearchResults>
