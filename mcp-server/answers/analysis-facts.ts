import { z } from 'zod'
import { type Analysis, AnalysisProgress, AnalysisStatus } from '../../core/analysis/schema.ts'
import { type AnalysisResult, AnalyzedFile, TestCandidate } from '../../engines/analysis/schema.ts'
import { AnalysisWarning } from '../../engines/source/schema.ts'
import { dataNotice, Page, pageOf } from './output.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'
import { languageLabel, SummaryFact, summaryFacts } from './summary-facts.ts'

const CandidateFact = TestCandidate.pick({
  path: true,
  symbol: true,
  kind: true,
  startLine: true,
  endLine: true,
  score: true,
  hasTest: true,
  coverage: true,
  coverageSource: true,
  reasons: true,
  nearestTests: true,
})
export type CandidateFact = z.infer<typeof CandidateFact>

const FileFact = AnalyzedFile.omit({ extension: true })
type FileFact = z.infer<typeof FileFact>

export const AnalysisSection = z.enum(['summary', 'candidates', 'files', 'warnings'])

/** An analysis as the tools tell of it: always the head, and of the result what was asked for. */
export const AnalysisFacts = z.object({
  /** Absent, as is the project, for an analysis of a local working tree: core does not store it. */
  analysisId: z.string().optional(),
  projectId: z.string().optional(),
  localPath: z.string().optional(),
  status: AnalysisStatus,
  commitSha: z.string().optional(),
  branch: z.string().optional(),
  progress: AnalysisProgress.optional(),
  error: z.string().optional(),
  /** What get_analysis was asked for. */
  section: AnalysisSection.optional(),
  summary: SummaryFact.optional(),
  candidates: z.array(CandidateFact).optional(),
  files: z.array(FileFact).optional(),
  warnings: z.array(AnalysisWarning).optional(),
  ...Page.partial().shape,
  note: z.string().optional(),
  next: z.string().optional(),
})
export type AnalysisFacts = z.infer<typeof AnalysisFacts>

const phases = AnalysisProgress.shape.phase.options

/** Progress as MCP wants it, a number that only rises; each phase counts its files anew. */
export function overallProgress({ phase, filesDone, filesTotal }: AnalysisProgress) {
  const share = filesTotal > 0 ? Math.min(1, filesDone / filesTotal) : 0
  const done = Number((phases.indexOf(phase) + share).toFixed(3))
  return { done, total: phases.length, message: `${phase}: ${filesDone} of ${filesTotal} files` }
}

/** The record's head, without anything of its result. */
export function recordFacts(record: Analysis): AnalysisFacts {
  return {
    analysisId: record.id,
    projectId: record.projectId,
    status: record.status,
    commitSha: record.commitSha ?? undefined,
    branch: record.branch === null ? undefined : cleanName(record.branch),
    ...(record.progress && !hasEnded(record) ? { progress: record.progress } : {}),
    ...(record.error ? { error: describeError(record.error) } : {}),
  }
}

const hasEnded = ({ status }: Analysis) => status === 'completed' || status === 'failed'

export function describeError(error: { code: string; message: string }): string {
  return `${cleanLine(error.code)}: ${shorten(cleanLine(error.message), 500)}`
}

export function candidateFact(candidate: TestCandidate): CandidateFact {
  const { kind, startLine, endLine, hasTest, coverage, coverageSource } = candidate
  const nearest = candidate.nearestTests?.slice(0, 2).map(path) ?? []
  return {
    path: path(candidate.path),
    symbol: shorten(cleanName(candidate.symbol), 200),
    kind,
    startLine,
    endLine,
    score: Number(candidate.score.toPrecision(3)),
    hasTest,
    ...(coverage === undefined ? {} : { coverage, coverageSource }),
    reasons: candidate.reasons.slice(0, 6).map((reason) => shorten(cleanLine(reason), 160)),
    ...(nearest.length > 0 ? { nearestTests: nearest } : {}),
  }
}

export function fileFact(file: AnalyzedFile): FileFact {
  return {
    path: path(file.path),
    size: file.size,
    language: languageLabel(file.language),
    ...(file.tags && file.tags.length > 0 ? { tags: file.tags } : {}),
  }
}

export function warningFact(warning: AnalysisWarning): AnalysisWarning {
  return {
    code: warning.code,
    message: shorten(cleanLine(warning.message), 300),
    ...(warning.path === undefined ? {} : { path: path(warning.path) }),
  }
}

const path = (value: string) => shorten(cleanName(value), 400)

/** What every answer that shows a result says about it. */
export const resultNotice = { note: dataNotice }

/** The summary and the best candidates: what an analysis is asked for. */
export function bestCandidates(result: AnalysisResult, limit: number, offset = 0): Partial<AnalysisFacts> {
  const { items, page } = pageOf(result.testCandidates ?? [], offset, limit)
  return { summary: summaryFacts(result), candidates: items.map(candidateFact), ...page, ...resultNotice }
}
