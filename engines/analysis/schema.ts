import { z } from 'zod'
import { FileTag } from '../languages/schema.ts'
import { PackageInfo } from '../manifests/schema.ts'
import { SymbolKind } from '../parsing/schema.ts'
import { AnalysisWarning } from '../source/schema.ts'

/**
 * One tracked path. `language` is linguist's name, `Binary` for binary content and `Unknown` where no rule fits,
 * so that the counts of all languages add up to the number of files.
 */
export const AnalyzedFile = z.object({
  path: z.string(),
  size: z.int().nonnegative(),
  extension: z.string(),
  language: z.string(),
  tags: z.array(FileTag).optional(),
})
export type AnalyzedFile = z.infer<typeof AnalyzedFile>

export const DetectedFramework = z.object({
  name: z.string(),
  confidence: z.number().min(0).max(1),
  evidence: z.array(z.string()).optional(),
})
export type DetectedFramework = z.infer<typeof DetectedFramework>

const LineRange = z.object({ startLine: z.int().positive(), endLine: z.int().positive() })
const LineBranches = z.object({
  line: z.int().positive(),
  taken: z.int().nonnegative(),
  total: z.int().positive(),
})

/** The coverage that a ranking uses. */
export const RankingCoverage = z.object({
  /** Where it was measured: the analyzed commit or an earlier one. */
  commitSha: z.string(),
  /** Commits since. */
  behind: z.int().nonnegative(),
  measuredFiles: z.int().nonnegative(),
  /** Measured files that have changed since. Their changed lines are not known. */
  changedFiles: z.int().nonnegative(),
  /** Measured files that do not exist any more. */
  goneFiles: z.int().nonnegative(),
})
export type RankingCoverage = z.infer<typeof RankingCoverage>

/** A symbol worth testing. Lines count from 1, both ends included. */
export const TestCandidate = z.object({
  path: z.string(),
  /** Qualified inside its file: `parse`, `Router.handle`. */
  symbol: z.string(),
  kind: SymbolKind,
  startLine: z.int().positive(),
  endLine: z.int().positive(),
  /** Cyclomatic complexity; 1 is a straight line. */
  complexity: z.number().nonnegative(),
  /** Commits that touched the file in the history read; null when the history is not known. */
  churn: z.number().nonnegative().nullable(),
  /** Files that import this one. */
  fanIn: z.number().nonnegative(),
  hasTest: z.boolean(),
  score: z.number().nonnegative(),
  reasons: z.array(z.string()),
  language: z.string().optional(),
  exported: z.boolean().optional(),
  /** Share of the symbol that tests reach, 0 to 1: measured where a coverage report is known, else estimated. */
  coverage: z.number().min(0).max(1).optional(),
  coverageSource: z.enum(['estimated', 'measured']).optional(),
  /** The commit whose tests measured it, if that is an earlier one. */
  coverageCommit: z.string().optional(),
  /** Commits since then. */
  coverageBehind: z.int().nonnegative().optional(),
  /** Its lines that no test runs. */
  uncovered: z.array(LineRange).optional(),
  /** Its lines that run, but not into every branch. */
  partialBranches: z.array(LineBranches).optional(),
  /** Its lines that changed since the coverage was measured, so that nothing is known of them. */
  changed: z.array(LineRange).optional(),
  /** The test files that come closest to it, best first. */
  nearestTests: z.array(z.string()).optional(),
})
export type TestCandidate = z.infer<typeof TestCandidate>

/**
 * What an analysis found in one commit. The specification's fields are required; all that Assay adds is optional,
 * so that a plain AnalysisResult of another tool remains valid input.
 */
export const AnalysisResult = z.object({
  commitSha: z.string(),
  branch: z.string().optional(),
  summary: z.object({
    totalFiles: z.int().nonnegative(),
    languages: z.record(z.string(), z.int().nonnegative()),
    frameworks: z.array(DetectedFramework),
    hasTests: z.boolean(),
    testFrameworks: z.array(z.union([z.string(), DetectedFramework])),
    /** Candidates found in all; `testCandidates` holds the best of them. */
    candidateCount: z.int().nonnegative().optional(),
    /** Commits of history that churn was counted over. */
    historyCommits: z.int().nonnegative().optional(),
    /** Null if nothing was measured, so that all coverage is estimated. */
    coverage: RankingCoverage.nullable().optional(),
  }),
  files: z.array(AnalyzedFile),
  directories: z.array(z.union([z.string(), z.object({ path: z.string(), fileCount: z.int().nonnegative() })])),
  packageInfo: PackageInfo,
  testCandidates: z.array(TestCandidate).optional(),
  warnings: z.array(AnalysisWarning).optional(),
})
export type AnalysisResult = z.infer<typeof AnalysisResult>
