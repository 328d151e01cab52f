import type { Share } from '../coverage/coverage.ts'
import type { PatchCoverage } from './patch-coverage.ts'

/** A test that the gate names. */
export interface NamedTest {
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
  runId: string
}

/** Whole coverage of a project, and how the change moved it. */
export interface ProjectCoverage {
  head: Share
  /** Null if no commit of the base was measured. */
  base: Share | null
  /** Lines that the change removed from the base, of those that were measured. */
  removed: Share
  /** The commit that stands for the base, which may be an earlier one. */
  baseSha: string | null
}

/** Everything that a gate decides with. */
export interface GateFacts {
  /** Null if the change has not been compared yet. */
  patch: PatchCoverage | null
  /** The patch of each component of the policy, in its order. */
  components: PatchCoverage[]
  /** Why the change cannot be compared; null if it can. */
  incomparable: string | null
  project: ProjectCoverage | null
  runs: {
    /** Runs of the commit that are queued or running. */
    open: number
    ended: number
    /** Runs that ended without a result: `id`, and why. */
    errors: { id: string; message: string }[]
    withTests: number
    withCoverage: number
  }
  /** Null for a snapshot: CI uploads reports of commits. */
  uploads: { names: string[]; count: number; isDone: boolean } | null
  failures: { fresh: NamedTest[]; freshCount: number; known: number; muted: number }
  flaky: { fresh: NamedTest[]; freshCount: number }
  mutants: { killed: number; total: number } | null
  /** The final verdict of `changes.verify` on the same change; null if there is none. */
  proof: { verdict: string; changeId: string } | null
  /** Prefixes that would give unmeasured files a report: the file, and what to set. */
  prefixes: { path: string; report: string; repository: string }[]
  isDeadlineOver: boolean
}
