import { z } from 'zod'
import { TestCandidate, TestCase } from '../../engines/analysis/schema.ts'
import { branch, commitSha, Pagination, userEmail } from '../base/input-fields/schema.ts'

/** A path as lists of files show it: the names of files that are not valid text contain escapes. */
const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be plain text')
  .refine(
    (text) => text.split('/').every((name) => name !== '' && name !== '.' && name !== '..'),
    'must be the path of a file within the repository, such as `src/index.ts`',
  )

const one = 'give only one of commitSha, branch, snapshotId and runId'
const count = z.int().nonnegative()
const Share = z.object({ covered: count, total: count })

export const GetFile = z
  .strictObject({
    projectId: z.string(),
    path,
    commitSha: commitSha.optional(),
    branch: branch.optional(),
    snapshotId: z.string().optional(),
    runId: z.string().optional(),
    userEmail,
  })
  .refine((input) => [input.commitSha, input.branch, input.snapshotId, input.runId].filter(isGiven).length <= 1, one)
export type GetFile = z.infer<typeof GetFile>

/** A run or upload that measured the coverage of a file. */
export const MeasuringRun = z.object({
  runId: z.string(),
  createdAt: z.iso.datetime(),
  commitSha: z.string(),
  branch: z.string().nullable(),
  /** Whether it ran all tests of the commit, so that it says how the branch is. */
  isWhole: z.boolean(),
})
export type MeasuringRun = z.infer<typeof MeasuringRun>

const FileCoverage = MeasuringRun.extend({
  /** Ranges of lines such as `3-7,12`. */
  covered: z.string(),
  uncovered: z.string(),
  /** The lines of which not every branch was taken; null if the report has no branches. Which ones is not recorded. */
  branches: z.array(z.object({ line: count, taken: count, total: count })).nullable(),
  lines: Share,
  branchShare: Share.nullable(),
  functions: Share.nullable(),
})

/** A symbol that the analysis ranked as a candidate for tests. */
const RankedSymbol = z.object({
  name: z.string(),
  kind: TestCandidate.shape.kind,
  startLine: z.int(),
  endLine: z.int(),
  complexity: z.number(),
  /** Its place among all candidates of the analysis, from 1. */
  rank: z.int(),
  score: z.number(),
  reasons: z.array(z.string()),
  coverage: z.number().nullable(),
  coverageSource: z.enum(['estimated', 'measured']).nullable(),
  /** Ways through it that no test takes, the most risky first. */
  cases: z.array(TestCase),
})

const NearestTest = z.object({ path: z.string(), name: z.string().nullable() })

/** A small change of the code that all tests that run it accept. */
const FileSurvivor = z.object({
  line: z.int(),
  before: z.string(),
  after: z.string(),
  /** Where `before` begins in its line, from 1. This and the fields below are null if no stored measurement has them. */
  column: z.int().nullable(),
  advice: z.string().nullable(),
  measurementId: z.string().nullable(),
  /** How many tests run the code and accept the change. */
  tests: count.nullable(),
  nearestTest: NearestTest.nullable(),
})

/** Everything that is known of a file of one commit, except its text. All of it was found out about this content. */
export const CodeFile = z.object({
  path: z.string(),
  commitSha: z.string(),
  snapshotId: z.string().nullable(),
  /** Linguist's name; `Binary` or `Unknown`. */
  language: z.string(),
  bytes: count,
  /** Null for a binary file, and for one that is too large. */
  totalLines: count.nullable(),
  /** Whether `code.getLines` refuses the file for its size. */
  tooLarge: z.boolean(),
  /** Whether the lines have kinds of tokens. */
  isHighlighted: z.boolean(),
  coverage: FileCoverage.nullable(),
  /** Why `coverage` is null. */
  coverageReason: z.string().nullable(),
  /** Runs that measured the file on this commit, or else the latest of the branch. Newest first, at most 20. */
  runs: z.array(MeasuringRun),
  /** The analysis that ranked `symbols`: of this commit, or of the latest one with the same content of the file. */
  analysis: z.object({ analysisId: z.string(), commitSha: z.string() }).nullable(),
  /** In the order of their lines. */
  symbols: z.array(RankedSymbol),
  /** How many small changes tests noticed, of those that were tried; null if no measurement tried this content. */
  strength: z
    .object({
      commitSha: z.string(),
      measuredAt: z.iso.datetime(),
      tried: count,
      noticed: count,
      /** How many changes tests run, tried or not. */
      reached: count.nullable(),
      lines: z.array(z.object({ line: z.int(), tried: count, survived: count })),
    })
    .nullable(),
  /** The best 20 of the changes that all tests accept. */
  survivors: z.array(FileSurvivor),
  /**
   * How many tests run each line that small changes were tried in, and up to five of them, the one that runs least other
   * code first; `name` is null for code that runs while the file is loaded. Null if no measurement of strength recorded it.
   */
  reachedBy: z.array(z.object({ line: z.int(), tests: count, nearest: z.array(NearestTest) })).nullable(),
  /** Why `reachedBy` is null. */
  reachedByReason: z.string().nullable(),
  /** How many of the last `commits` commits changed the file; null if the analysis did not count it. */
  churn: z.object({ changes: z.number(), commits: count }).nullable(),
})
export type CodeFile = z.infer<typeof CodeFile>

const commitOrSnapshot = { commitSha: commitSha.optional(), snapshotId: z.string().optional() }
const exactlyOne = (input: { commitSha?: string | undefined; snapshotId?: string | undefined }) =>
  isGiven(input.commitSha) !== isGiven(input.snapshotId)

export const GetLines = z
  .strictObject({
    projectId: z.string(),
    path,
    ...commitOrSnapshot,
    /** The first line, from 1. */
    from: z.int().min(1).default(1),
    limit: z.int().min(1).max(2_000).default(500),
    userEmail,
  })
  .refine(exactlyOne, 'give either commitSha or snapshotId')
export type GetLines = z.infer<typeof GetLines>

/** The text of a token, and its kind, such as `keyword`, `string` or `title.function`. Null for anything else. */
const Token = z.tuple([z.string(), z.string().nullable()])

export const CodeLines = z.object({
  path: z.string(),
  commitSha: z.string(),
  snapshotId: z.string().nullable(),
  language: z.string(),
  isHighlighted: z.boolean(),
  from: z.int(),
  totalLines: count,
  /** Without the characters that end a line. */
  lines: z.array(z.array(Token)),
  /** Lines of more than 2,000 characters, and how many of these are left out. */
  truncatedLines: z.array(z.object({ line: z.int(), leftOut: count })),
})
export type CodeLines = z.infer<typeof CodeLines>

export const ListFiles = z
  .strictObject({
    projectId: z.string(),
    ...commitOrSnapshot,
    /** Such as `src/checkout`; the whole repository by default. */
    folder: z.union([z.literal(''), path]).default(''),
    /** A part of the path of a file below the folder; case does not matter. */
    search: z.string().min(1).max(200).optional(),
    limit: z.int().min(1).max(1_000).default(100),
    offset: z.int().min(0).default(0),
    userEmail,
  })
  .refine(
    (input) => !(isGiven(input.commitSha) && isGiven(input.snapshotId)),
    'give only one of commitSha and snapshotId',
  )
export type ListFiles = z.infer<typeof ListFiles>

export const FilesPage = z.object({
  commitSha: z.string(),
  snapshotId: z.string().nullable(),
  /** What is directly in the folder, folders first; with `search`, the matching files below it. */
  entries: z.array(
    z.object({ path: z.string(), name: z.string(), kind: z.enum(['folder', 'file', 'symlink', 'submodule']) }),
  ),
  pagination: Pagination,
})
export type FilesPage = z.infer<typeof FilesPage>

function isGiven(value: unknown): boolean {
  return value !== undefined
}
