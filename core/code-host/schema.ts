import { z } from 'zod'

/** The kinds of code hosts. `gitea` includes Forgejo. */
export const CodeHostKind = z.enum(['github', 'gitlab', 'gitea'])
export type CodeHostKind = z.infer<typeof CodeHostKind>

/** `userEmail` is checked elsewhere and has no effect. */
export const ListRepositories = z.object({ userEmail: z.string().optional() }).optional()

export const Repository = z.object({
  id: z.int(),
  name: z.string(),
  fullName: z.string(),
  description: z.string().nullable(),
  url: z.string(),
  cloneUrl: z.string(),
  /** Empty if the code host names none. */
  language: z.string(),
  stars: z.int(),
  forks: z.int(),
  isPrivate: z.boolean(),
  updatedAt: z.iso.datetime(),
  defaultBranch: z.string(),
})
export type Repository = z.infer<typeof Repository>

/** `userEmail` is checked elsewhere and has no effect. */
export const GetLink = z.object({ userEmail: z.string().optional() }).optional()

export const CodeHostLink = z.object({
  /** Whether accounts can be linked on this server. */
  available: z.boolean(),
  /** The display name of the code host. */
  name: z.string(),
  /** The account that Assay uses for the caller; null if none is linked. */
  linked: z
    .object({
      login: z.string().nullable(),
      /** Whether Assay may read private repositories with it. */
      readsPrivate: z.boolean(),
    })
    .nullable(),
})
export type CodeHostLink = z.infer<typeof CodeHostLink>
