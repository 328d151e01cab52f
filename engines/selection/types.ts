import type { ImportGraph } from '../analysis/graph/graph.ts'
import type { SourceTree } from '../analysis/graph/source-tree.ts'
import type { Ranges } from '../coverage/ranges.ts'
import type { Changes } from '../source/types.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import type { TextFacts } from './text-facts.ts'

/** What is known of a repository state and of its difference to an earlier one. */
export interface SelectionInput {
  changes: Changes
  /** The files of the later state. */
  tree: SourceTree
  graph: ImportGraph
  /** By path. Files without an entry name no other files. */
  texts: ReadonlyMap<string, TextFacts>
  /** How the tests are run. */
  parts: readonly TestingPart[]
  /** Files that the runner loads before the tests: configuration, setup files and plug-ins. `conftest.py` need not be here. */
  runnerFiles: ReadonlySet<string>
  /** Where symbolic links lead, by path. */
  links: ReadonlyMap<string, string>
  /** What tests were seen to run, if that was measured. */
  reach?: MeasuredReach | undefined
  /** What is known of earlier runs, by test file. */
  history?: ReadonlyMap<string, TestHistory> | undefined
  /** Globs of test files that run for every change. */
  alwaysRun?: readonly string[] | undefined
  budgetSeconds?: number | undefined
  /** The usual seconds of test files. */
  durations?: ReadonlyMap<string, number> | undefined
}

/** What test files were seen to run at a commit, under the paths and line numbers of that commit. */
export interface MeasuredReach {
  commitSha: string
  /** What changed from that commit to the later state. */
  changes: Changes
  /** The code that was watched: the inner lines of functions, by path. */
  watched: ReadonlyMap<string, Ranges>
  tests: readonly ReachOfTest[]
}

export interface ReachOfTest {
  file: string
  /**
   * The watched files that the tests loaded, with the inner lines of the functions that they called; null if they may depend
   * on all of the file.
   */
  files: ReadonlyMap<string, Ranges | null>
  /** Whether `files` has everything that the tests ran of the watched files, in every process that they started. */
  isComplete: boolean
}

export interface TestHistory {
  hasFailed?: boolean
  isFlaky?: boolean
  /** No run of the test has passed lately. */
  neverPassed?: boolean
}

export type SelectionReason =
  /** Every test runs. */
  | { kind: 'all' }
  | { kind: 'changed' }
  | { kind: 'new' }
  /** The first path is the test, the last one the file that changed or is gone. */
  | { kind: 'imports'; path: readonly string[] }
  | { kind: 'reached'; file: string; commitSha: string }
  /** What a file on the way from the test loads cannot be known without running it. */
  | { kind: 'unknown_imports'; path: readonly string[]; what: string }
  | { kind: 'failed' }
  | { kind: 'flaky' }
  | { kind: 'never_passed' }
  | { kind: 'always_run' }

export type SkipReason =
  /** Nothing that the test imports, names or is configured by has changed. */
  | { kind: 'unaffected' }
  /** It imports a changed file, but did not run the changed code when that was measured. */
  | { kind: 'not_reached'; file: string; commitSha: string }
  | { kind: 'budget'; reason: SelectionReason }

export interface SelectedTest {
  file: string
  /** Absent if the whole file is selected. */
  test?: string
  reason: SelectionReason
  /** Absent if no duration is known. */
  seconds?: number
}

export interface TestSelection {
  mode: 'impacted' | 'all'
  whyAll: string | null
  /** The most useful ones first. */
  tests: readonly SelectedTest[]
  skipped: readonly { file: string; reason: SkipReason }[]
  /** Of test files. */
  counts: { all: number; selected: number; skipped: number; cut: number }
  /** Of the tests whose durations are known. */
  seconds: { all: number; selected: number }
  /** The share of the tests that were measured to run changed code and are within the budget; null without measurement. */
  measuredShare: number | null
}
