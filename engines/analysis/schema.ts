import { z } from 'zod'
import { FileTag } from '../languages/schema.ts'
import { PackageInfo } from '../manifests/schema.ts'
import { SymbolKind } from '../parsing/schema.ts'
import { isGlob } from '../source/glob.ts'
import { AnalysisWarning } from '../source/schema.ts'
import { TestingPart } from '../test-plan/schema.ts'

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

const maxScopeEntries = 50
/** Matching takes time in proportion to the length of globs and to the number of files. */
const maxGlobCharacters = 500
const plainText = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** The part of a repository that candidates are wanted for. Everything that is given must hold. */
export const AnalysisScope = z.object({
  /** Files, folders or globs, relative to the repository. */
  paths: z
    .array(
      z
        .string()
        .min(1)
        .max(1_000)
        .refine(plainText, 'must be plain text')
        .refine(
          (path) => !/^[/\\]|^[A-Za-z]:[/\\]/.test(path) && !path.split(/[/\\]/).includes('..'),
          'must be a path within the repository',
        ),
    )
    .min(1)
    .max(maxScopeEntries)
    .refine(
      (paths) => paths.reduce((sum, path) => sum + (isGlob(path) ? path.length : 0), 0) <= maxGlobCharacters,
      `must have globs of at most ${maxGlobCharacters} characters together`,
    )
    .optional(),
  /** A branch, a tag or a commit: only code that was added or changed since the last commit in common with it. */
  since: z
    .string()
    .min(1)
    .max(255)
    .refine(plainText, 'must be plain text')
    .refine((name) => !name.startsWith('-'), 'must not start with a dash')
    .refine((name) => !/[\s:?*[\\]|\.\.|@\{/.test(name), 'must be the name of a branch, a tag or a commit')
    .optional(),
  /** Names of functions, methods or classes; `Queue.add`, `add` and `Queue` all name a method. */
  symbols: z
    .array(z.string().min(1).max(500).refine(plainText, 'must be plain text'))
    .min(1)
    .max(maxScopeEntries)
    .optional(),
})
export type AnalysisScope = z.infer<typeof AnalysisScope>

/** A scope with what it came to. */
export const ResolvedScope = AnalysisScope.extend({
  /** With `since`: the commit that the code is compared with. */
  baseCommit: z.string().optional(),
  /** The files in the scope. */
  files: z.int().nonnegative(),
})
export type ResolvedScope = z.infer<typeof ResolvedScope>

/** The coverage that a ranking uses. */
export const RankingCoverage = z.object({
  /** Where it was measured last: the analyzed commit or an earlier one. */
  commitSha: z.string(),
  /** Commits since. */
  behind: z.int().nonnegative(),
  measuredFiles: z.int().nonnegative(),
  /** Commits before that one, and how many of the files were measured there last. */
  earlier: z
    .array(z.object({ commitSha: z.string(), behind: z.int().nonnegative(), measuredFiles: z.int().nonnegative() }))
    .optional(),
  /** Measured files that have changed since. Their changed lines are not known. */
  changedFiles: z.int().nonnegative(),
  /** Measured files that the analyzed commit does not have. */
  goneFiles: z.int().nonnegative(),
})
export type RankingCoverage = z.infer<typeof RankingCoverage>

/** What measurements of strength say about the files as they are. */
export const RankingStrength = z.object({
  measuredFiles: z.int().positive(),
  tried: z.int().nonnegative(),
  noticed: z.int().nonnegative(),
  /** Percent of the tried changes that tests notice. Missing in results of earlier versions. */
  percent: z.number().optional(),
  /** Percent between which this is for all changes that tests run, whatever they say of those that were not tried. */
  interval: z.tuple([z.number(), z.number()]).optional(),
})
export type RankingStrength = z.infer<typeof RankingStrength>

/** How code ends in one case: what a test of the case would see. */
export const CaseOutcome = z.enum(['throws', 'returns', 'early_return', 'loop_not_entered', 'catch', 'default'])
export type CaseOutcome = z.infer<typeof CaseOutcome>

/** A way through a symbol, read from its source. */
export const TestCase = z.object({
  /** Stays the same while the code around it moves: made of path, symbol, condition and outcome. */
  id: z.string(),
  line: z.int().positive(),
  /** The code's own text, and what must hold of it: `options.interval is not a finite number`, `!isReady`. */
  condition: z.string(),
  outcome: CaseOutcome,
  /** What the code throws or returns, in its own text: `TypeError: Expected a number`, `null`. */
  result: z.string().optional(),
  /** Whether a test runs it; null if that was not measured. */
  covered: z.boolean().nullable(),
  /** The function was measured, and what was measured does not tell whether a test runs the case. */
  notMeasured: z.literal(true).optional(),
})
export type TestCase = z.infer<typeof TestCase>

/** What the author of a test of one candidate needs to know. Every text is the project's own or says what it is. */
export const TestBrief = z.object({
  framework: z.string(),
  /** Where the test goes. */
  testFile: z.object({ path: z.string(), exists: z.boolean() }),
  /** Runs that file alone, from the root of the repository. */
  command: z.string().optional(),
  /** The import as a test at that place writes it. */
  import: z.string().optional(),
  signature: z.string().optional(),
  parameters: z.array(z.object({ name: z.string(), type: z.string().optional(), isOptional: z.boolean() })).optional(),
  /** What must be constructed before the call: `new PQueue(options)`. */
  construct: z.string().optional(),
  /** A test to read first, with the helpers that it uses. */
  nearestTest: z
    .object({ path: z.string(), line: z.int().positive().optional(), helpers: z.array(z.string()) })
    .optional(),
})
export type TestBrief = z.infer<typeof TestBrief>

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
  /** With a scope that has `since`: its lines that were added or changed. */
  changedSince: z.array(LineRange).optional(),
  /** How many small changes of it tests notice, of those that were tried where tests run it. */
  strength: z
    .object({
      tried: z.int().nonnegative(),
      noticed: z.int().nonnegative(),
      survived: z.int().nonnegative(),
      commitSha: z.string(),
      /** At most 5 of those that all tests accept. */
      survivors: z.array(z.object({ line: z.int().positive(), original: z.string(), replacement: z.string() })),
    })
    .optional(),
  /** The test files that come closest to it, best first. */
  nearestTests: z.array(z.string()).optional(),
  /** The public entry that a test calls to reach it, where it is private or not exported. */
  through: z
    .object({ path: z.string(), symbol: z.string(), startLine: z.int().positive(), endLine: z.int().positive() })
    .optional(),
  /** Ways through it that no test takes, the most risky first. */
  cases: z.array(TestCase).optional(),
  /** How many cases were left out of `cases`. */
  moreCases: z.int().positive().optional(),
  /** There are more cases than were counted: `moreCases` is the least that it can be. */
  hasUncountedCases: z.literal(true).optional(),
  brief: TestBrief.optional(),
})
export type TestCandidate = z.infer<typeof TestCandidate>

/** Something that a reader of the code would notice, and that the analysis can prove. */
export const Finding = z.object({
  kind: z.enum(['undeclared_import', 'dead_export', 'unread_parameter']),
  path: z.string(),
  line: z.int().positive(),
  /** The package, the exported name or the parameter. */
  name: z.string(),
  message: z.string(),
})
export type Finding = z.infer<typeof Finding>

/**
 * What the names of the files and the contents of the manifests say, before the other files are read. The result may
 * differ: contents decide about ambiguous names, and imports are further evidence for frameworks.
 */
export const FirstAnswer = z.object({
  totalFiles: z.int().nonnegative(),
  /** Files by language, the most frequent first. */
  languages: z.record(z.string(), z.int().nonnegative()),
  /** The surest first, as are the test frameworks. */
  frameworks: z.array(z.string()),
  testFrameworks: z.array(z.string()),
})
export type FirstAnswer = z.infer<typeof FirstAnswer>

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
    /** The part of the repository that the candidates are limited to. Everything else is about all of it. */
    scope: ResolvedScope.optional(),
    /** How the repository is tested, by part. */
    testing: z.array(TestingPart).optional(),
    /** Null if nothing was measured, so that all coverage is estimated. */
    coverage: RankingCoverage.nullable().optional(),
    /** Small changes of the code that tests run: how many were tried, and how many of these tests notice. */
    strength: RankingStrength.nullable().optional(),
  }),
  files: z.array(AnalyzedFile),
  directories: z.array(z.union([z.string(), z.object({ path: z.string(), fileCount: z.int().nonnegative() })])),
  packageInfo: PackageInfo,
  testCandidates: z.array(TestCandidate).optional(),
  findings: z.array(Finding).optional(),
  /** How many findings were left out of `findings`. */
  moreFindings: z.int().positive().optional(),
  warnings: z.array(AnalysisWarning).optional(),
})
export type AnalysisResult = z.infer<typeof AnalysisResult>
