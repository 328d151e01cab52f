import { z } from 'zod'

export const PackageInfo = z.object({
  name: z.string(),
  version: z.string().optional(),
  manager: z.string().optional(),
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  /** Every manifest of the repository, the root's first: a monorepo has many. */
  manifests: z
    .array(
      z.object({
        path: z.string(),
        ecosystem: z.string(),
        name: z.string().optional(),
        version: z.string().optional(),
        manager: z.string().optional(),
      }),
    )
    .optional(),
})
export type PackageInfo = z.infer<typeof PackageInfo>
