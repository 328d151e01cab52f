import { z } from 'zod'
import {
  AnalysisResult,
  AnalysisScope,
  FirstAnswer,
  RankingCoverage,
  TestCandidate,
} from '../../engines/analysis/schema.ts'
import { page, Pagination, url } from '../base/input-fields/schema.ts'

export const AnalysisStatus = z.enum(['pending', 'running', 'completed', 'failed'])
export type AnalysisStatus = z.infer<typeof AnalysisStatus>

export const AnalysisProgress = z.object({
  phase: z.enum(['fetching', 'reading', 'parsing', 'ranking']),
  filesDone: z.int().nonnegative(),
  filesTotal: z.int().nonnegative(),
  /** Known soon after the files are listed. */
  firstAnswer: FirstAnswer.optional(),
})
export type AnalysisProgress = z.infer<typeof AnalysisProgress>

/**
 * The stored record of one analysis. Counts are 0 and maps empty until it is completed; `progress.firstAnswer` has
 * languages and frameworks earlier.
 */
export const Analysis = z.object({
  id: z.string(),
  projectId: z.string(),
  url,
  status: AnalysisStatus,
  branch: z.string().nullable(),
  /** Null until the commit has been fetched. */
  commitSha: z.string().nullable(),
  /** The snapshot that was analyzed; null for a commit of the repository. A snapshot may have been deleted since. */
  snapshotId: z.string().nullable(),
  filesAnalyzed: z.int(),
  testCandidates: z.int(),
  languages: z.record(z.string(), z.int()),
  frameworks: z.array(z.string()),
  progress: AnalysisProgress.nullable(),
  /** The measured coverage that the ranking of the candidates uses; null if all of it is estimated. */
  coverage: RankingCoverage.nullable(),
  /** `pending` while newer coverage is being taken into account. */
  ranking: z.enum(['current', 'pending']),
  /** When the candidates were last ranked; null until then. */
  rankedAt: z.iso.datetime().nullable(),
  /** Why it failed, written for the owner of the repository; null otherwise. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
})
export type Analysis = z.infer<typeof Analysis>

export const AnalysisWithResult = Analysis.extend({ result: AnalysisResult.nullable() })
export type AnalysisWithResult = z.infer<typeof AnalysisWithResult>

export const gitRef = z.string().min(1).max(255)
const commitSha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be a full commit id: 40 or 64 lower-case hexadecimal digits')

export const StartAnalysis = z.object({
  projectId: z.string(),
  /** If given, it must equal the project's repository, which is always the one that is cloned. */
  repoUrl: z.string().max(2_048).optional(),
  branch: gitRef.optional(),
  commitSha: commitSha.optional(),
  /** Instead of `branch` and `commitSha`. */
  snapshotId: z.string().optional(),
  userEmail: z.string().optional(),
})
export type StartAnalysis = z.infer<typeof StartAnalysis>

/** Runs the tests of the analyzed commit first, if no run or upload has measured the coverage that its ranking uses. */
export const measure = z.boolean().default(false)

/** The result of `measure`. */
export const Measurement = z.object({
  /** The run that measured or was to measure; null if the coverage was known before. */
  runId: z.string().nullable(),
  /** Why the coverage stays estimated; null if it is measured. */
  problem: z.string().nullable(),
})
export type Measurement = z.infer<typeof Measurement>

export const AnalyzeRepository = StartAnalysis.extend({
  ...AnalysisScope.shape,
  measure,
  /** With `measure`: how long the call may wait for the analysis and for the run that measures. */
  waitSeconds: z.int().min(0).max(45).default(45),
})
export type AnalyzeRepository = z.infer<typeof AnalyzeRepository>

export const AnalyzedRepository = AnalysisResult.extend({ measurement: Measurement.optional() })
export type AnalyzedRepository = z.infer<typeof AnalyzedRepository>

export const GetAnalysis = z.object({
  analysisId: z.string(),
  /** How long to wait for the end of the analysis. */
  waitSeconds: z.int().min(0).max(45).default(0),
  includeResult: z.boolean().default(false),
})
export type GetAnalysis = z.infer<typeof GetAnalysis>

export const ListAnalyses = z.object({
  projectId: z.string(),
  /** Only analyses of this snapshot; null for those of the repository. */
  snapshotId: z.string().nullable().optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail: z.string().optional(),
})
export type ListAnalyses = z.infer<typeof ListAnalyses>

export const ListCandidates = z.object({
  projectId: z.string(),
  /** A part of the path or of the symbol; case does not matter. */
  search: z.string().max(200).optional(),
  /** Only code that tests do not reach at all, or only in part. */
  coverage: z.enum(['none', 'partial']).optional(),
  ...page,
  userEmail: z.string().optional(),
})
export type ListCandidates = z.infer<typeof ListCandidates>

export const CandidatesPage = z.object({
  /** The latest completed analysis of the project's repository. */
  analysis: Analysis,
  /** The best of all candidates, at most 1,000, with their place from 1. */
  candidates: z.array(TestCandidate.extend({ rank: z.int() })),
  pagination: Pagination,
})
export type CandidatesPage = z.infer<typeof CandidatesPage>

export const GetMeasuredCoverage = z.object({
  projectId: z.string(),
  /** One of the commits that the call returns without it. */
  commitSha: commitSha.optional(),
})
export type GetMeasuredCoverage = z.infer<typeof GetMeasuredCoverage>

const lines = z.string()

/** What runs and uploads measured, for a client that carries it over to a working tree. */
export const MeasuredCoverage = z.object({
  /** The commits with measured coverage, of the latest runs and uploads. */
  commits: z.array(z.string()),
  /** The files of the commit, once for each different result: path, covered, uncovered and partly taken lines. */
  files: z.array(z.tuple([z.string(), lines, lines, lines.nullable()])),
  /** False if files are missing, because the coverage is too large for one answer. */
  isWhole: z.boolean(),
})
export type MeasuredCoverage = z.infer<typeof MeasuredCoverage>
