import type { Ranges } from '../../coverage/ranges.ts'
import type { Hunk } from '../../source/types.ts'
import type { JudgedMutant } from '../../mutation/schema.ts'
import type { MutantOutcome, MutationFacts } from '../facts.ts'
import type { Measured, RunOutcome } from '../outcome.ts'
import type { ChangeIntent } from './schema.ts'

/** A file that the change adds, modifies, renames or deletes. */
export interface ChangedFile {
  /** Its path after the change; for a deleted file its path before. */
  path: string
  before: string | null
  kind: 'code' | 'test' | 'test_support' | 'other'
  change: 'added' | 'changed' | 'deleted'
  /** The lines after the change that it added or modified. An added file has all lines. */
  lines: Ranges
  /** The lines before the change that it removed or modified, of the file `before`. */
  removed?: Ranges
  /** The same as pairs. Missing for added and deleted files. */
  hunks?: readonly Hunk[]
  /** Third-party code in the repository. Its `kind` is `code` if the change edits it by hand, else `other`. */
  isVendored?: true
  /**
   * Code that looks like something else by its name: a test or a generated file. Coverage may leave it out, so all of the
   * file is restored.
   */
  isDisguised?: true
  /** A code file that imports this file of tests. */
  importedBy?: string
  /** Set for third-party and generated code and for configuration in a programming language. */
  holdsCode?: true
}

/** A part of a code file that was restored alone, or a whole file, and whether tests noticed. */
export interface RestoredPart {
  path: string
  /** The place after the change. */
  line: number
  /**
   * `removal`, `addition`: the change only removes or adds the code. `move`: it moves the code over a check or a return.
   * `alteration`: it replaces code by other code that certainly means something else. `file`: no coverage measures the
   * file, so all of it was restored.
   */
  kind: 'removal' | 'addition' | 'move' | 'alteration' | 'replacement' | 'file'
  /** The code after the change; empty for a removal. */
  now: string
  /** Empty for an addition. */
  before: string
  /** As of a mutant. `invalid` also means that the code without this part cannot be loaded. */
  outcome: MutantOutcome
  /** Set if a mutant in `mutation` is the same code. Only the mutant counts then. */
  isMutant?: true
}

/** A small change of the old code that the mutants of the languages do not have. Offsets are as in `Mutant`. */
export interface OldMutant {
  /** The path on the base. */
  path: string
  line: number
  operator: 'removed_assignment' | 'value'
  original: string
  replacement: string
  start: number
  end: number
  /** Set if the change keeps the value elsewhere. Such a mutant is of use only where there is no other. */
  isSpare?: true
}

/** Lines of code that the change replaces, adds or removes, without imports, moved lines and new names of variables. */
export interface ChangedPlace {
  /** The place after the change; if it only removes code, the place before. */
  path: string
  line: number
  code: string
  now: LinesOf | null
  before: LinesOf | null
}

/** Both ends are included. */
export interface LinesOf {
  path: string
  first: number
  last: number
}

/** A mutant of code that a refactoring removed, on the base's code of all changed files. Its place is that of the base. */
export interface JudgedOldMutant {
  mutant: Omit<JudgedMutant, 'operator'> & { operator: JudgedMutant['operator'] | OldMutant['operator'] }
  outcome: MutantOutcome
}

/** The runs of one side, each of all its parts. The first measured coverage if the runner can. */
export interface SideFacts {
  commitSha: string
  /**
   * In the order of execution; empty if the side did not run. The first is of all tests, the others may repeat some of
   * them.
   */
  runs: readonly RunOutcome[]
  /** Why no run was possible, such as a failed install. */
  problem: { code: string; message: string } | null
  coverage: Measured | null
  durationMs: number
  cached: boolean
}

/** A way through changed code. */
export interface UncoveredCase {
  /** Where its condition is evaluated. */
  line: number
  /** The first lines of statements that run in this case only. */
  only: readonly number[]
  text: string
}

/** Everything that the verdict on a change depends on. */
export interface ChangeFacts {
  intent: ChangeIntent
  files: readonly ChangedFile[]
  base: SideFacts
  head: SideFacts
  /** Runs of the new and changed tests with their support files on the code of the base; null if there are none. */
  withoutChange: readonly RunOutcome[] | null
  /**
   * Changed files that the runner loads besides tests, and runs of all tests of the head with the files of the base in
   * their place; none if that was not possible. The base cannot replace those in `kept`, which the change adds, deletes or
   * renames. Missing if the change has no such files.
   */
  support?: { files: readonly string[]; kept?: readonly string[]; runs: readonly RunOutcome[] }
  mutation: Pick<MutationFacts, 'found' | 'seed' | 'judged'> | null
  /** Mutants of the old code. Missing unless the change is a refactoring. */
  oldCode?: { found: number; judged: readonly JudgedOldMutant[] }
  /**
   * The places of a refactoring: how many there are, and those in which no mutant can run, neither of the new nor of the
   * old code. Missing if that is not known.
   */
  places?: { count: number; untried: readonly Pick<ChangedPlace, 'path' | 'line' | 'code'>[] }
  /** Empty if none was tried. */
  restored: readonly RestoredPart[]
  /** Titles of tests that follow the text of the code: another text changes their result, the same behavior does not. */
  textTests: readonly string[]
  /**
   * Contents of changed files after the change: of code for uncovered lines, of tests in Go because its reports name no
   * files.
   */
  sources: ReadonlyMap<string, string>
  /** Contents of changed code files on the base, by their paths there; empty unless the change is a refactoring. */
  sourcesBefore: ReadonlyMap<string, string>
  /** The cases of files with changed lines that no test runs, by path, the most risky first. */
  cases: ReadonlyMap<string, readonly UncoveredCase[]>
  notRun: readonly ('repeats' | 'without_change' | 'mutants')[]
  warnings: readonly string[]
}
