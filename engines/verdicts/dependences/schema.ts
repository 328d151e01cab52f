import { z } from 'zod'

/** What the result of a test can depend on beside its code. `unknown`: code that Assay does not read, such as packages. */
export const DependenceKind = z.enum(['time', 'chance', 'outside', 'shared_state', 'unknown'])
export type DependenceKind = z.infer<typeof DependenceKind>

/** Code that makes the result of a test depend on more than the code. */
export const Dependence = z.object({
  kind: DependenceKind,
  /** A name such as `Date.now`, or a few words. */
  what: z.string(),
  path: z.string(),
  line: z.int().positive(),
})
export type Dependence = z.infer<typeof Dependence>

/** A dependence of one file, at an offset of its source. */
export type Found = Pick<Dependence, 'kind' | 'what'> & { at: number }

export interface Dependences {
  found: Found[]
  /** Modules that it imports, as written, without those that are known to be harmless. */
  imports: string[]
}
