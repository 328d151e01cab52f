import { z } from 'zod'
import {
  type Analysis,
  AnalysisProgress,
  type AnalysisResult,
  AnalysisStatus,
  AnalysisWarning,
  AnalyzedFile,
  TestCandidate,
} from '../core/analysis/schema.ts'
import { cutPage, dataNotice, Page, pageOf, renderPageEnd } from './output.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'

const CandidateFact = TestCandidate.pick({
  path: true,
  symbol: true,
  kind: true,
  startLine: true,
  endLine: true,
  score: true,
  hasTest: true,
  reasons: true,
  nearestTests: true,
})
type CandidateFact = z.infer<typeof CandidateFact>

const FileFact = AnalyzedFile.omit({ extension: true })
type FileFact = z.infer<typeof FileFact>

const SummaryFact = z.object({
  totalFiles: z.int(),
  languages: z.record(z.string(), z.int()),
  frameworks: z.array(z.string()),
  testFrameworks: z.array(z.string()),
  hasTests: z.boolean(),
  package: z.string().optional(),
  candidateCount: z.int(),
  warningCount: z.int(),
})
type SummaryFact = z.infer<typeof SummaryFact>

/** An analysis as the tools tell of it: always the head, and of the result what was asked for. */
export const AnalysisFacts = z.object({
  /** Null for an analysis of a local working tree, which core does not store. */
  analysisId: z.string().nullable(),
  projectId: z.string().nullable(),
  localPath: z.string().optional(),
  status: AnalysisStatus,
  commitSha: z.string().nullable(),
  branch: z.string().nullable(),
  progress: AnalysisProgress.optional(),
  error: z.string().optional(),
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
    commitSha: record.commitSha,
    branch: record.branch === null ? null : cleanName(record.branch),
    ...(record.progress && !hasEnded(record) ? { progress: record.progress } : {}),
    ...(record.error ? { error: describeError(record.error) } : {}),
  }
}

const hasEnded = ({ status }: Analysis) => status === 'completed' || status === 'failed'

export function describeError(error: { code: string; message: string }): string {
  return `${cleanLine(error.code)}: ${shorten(cleanLine(error.message), 500)}`
}

const mostLanguages = 12

export function summaryFacts(result: AnalysisResult): SummaryFact {
  const languages = Object.entries(result.summary.languages).toSorted((a, b) => b[1] - a[1])
  const rest = languages.slice(mostLanguages)
  const others = rest.reduce((sum, [, count]) => sum + count, 0)
  const { name, version, manager } = result.packageInfo
  const packageWords = [name && (version ? `${name}@${version}` : name), manager && `(${manager})`].filter(Boolean)
  return {
    totalFiles: result.summary.totalFiles,
    languages: Object.fromEntries([
      ...languages.slice(0, mostLanguages).map(([language, count]) => [label(language), count] as const),
      ...(others > 0 ? [[`${rest.length} others`, others] as const] : []),
    ]),
    frameworks: result.summary.frameworks.slice(0, 20).map((framework) => label(framework.name)),
    testFrameworks: result.summary.testFrameworks
      .slice(0, 20)
      .map((framework) => label(typeof framework === 'string' ? framework : framework.name)),
    hasTests: result.summary.hasTests,
    ...(packageWords.length > 0 ? { package: shorten(cleanLine(packageWords.join(' ')), 120) } : {}),
    candidateCount: result.summary.candidateCount ?? result.testCandidates?.length ?? 0,
    warningCount: result.warnings?.length ?? 0,
  }
}

export function candidateFact(candidate: TestCandidate): CandidateFact {
  const { kind, startLine, endLine, hasTest } = candidate
  const nearest = candidate.nearestTests?.slice(0, 2).map(path) ?? []
  return {
    path: path(candidate.path),
    symbol: shorten(cleanName(candidate.symbol), 200),
    kind,
    startLine,
    endLine,
    score: Number(candidate.score.toPrecision(3)),
    hasTest,
    reasons: candidate.reasons.slice(0, 6).map((reason) => shorten(cleanLine(reason), 160)),
    ...(nearest.length > 0 ? { nearestTests: nearest } : {}),
  }
}

export function fileFact(file: AnalyzedFile): FileFact {
  return {
    path: path(file.path),
    size: file.size,
    language: label(file.language),
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
const label = (value: string) => shorten(cleanLine(value), 60)

/** What every answer that shows a result says about it. */
export const resultNotice = { note: dataNotice }

/** The summary and the best candidates: what an analysis is asked for. */
export function bestCandidates(result: AnalysisResult, limit: number): Partial<AnalysisFacts> {
  const { items, page } = pageOf(result.testCandidates ?? [], 0, limit)
  return { summary: summaryFacts(result), candidates: items.map(candidateFact), ...page, ...resultNotice }
}

export const analysisForm = {
  render: renderAnalysis,
  list: {
    count: (facts: AnalysisFacts) => listOf(facts)?.items.length ?? 0,
    keep: (facts: AnalysisFacts, count: number): AnalysisFacts => {
      const list = listOf(facts)
      if (!list || facts.total === undefined || facts.offset === undefined) return facts
      const { total, offset, nextOffset = null } = facts
      const { items, page } = cutPage<unknown>(list.items, { total, offset, nextOffset }, count)
      return { ...facts, ...page, [list.name]: items }
    },
  },
}

function listOf(facts: AnalysisFacts) {
  if (facts.candidates) return { name: 'candidates', items: facts.candidates } as const
  if (facts.files) return { name: 'files', items: facts.files } as const
  if (facts.warnings) return { name: 'warnings', items: facts.warnings } as const
  return undefined
}

function renderAnalysis(facts: AnalysisFacts): string {
  const what = facts.analysisId === null ? `Local analysis of ${facts.localPath}` : `Analysis ${facts.analysisId}`
  const where = [
    facts.projectId && `project ${facts.projectId}`,
    facts.commitSha && `commit ${facts.commitSha}`,
    facts.branch && `branch ${facts.branch}`,
  ].filter(Boolean)
  const lines = [`${what}: ${facts.status}${where.length > 0 ? ` (${where.join(', ')})` : ''}.`]
  if (facts.error) lines.push(`Error: ${facts.error}`)
  if (facts.progress) {
    const { phase, filesDone, filesTotal } = facts.progress
    lines.push(`Progress: ${phase}, ${filesDone} of ${filesTotal} files.`)
  }
  if (facts.summary) lines.push(...renderSummary(facts.summary))
  if (facts.total !== undefined && facts.offset !== undefined) {
    const list = listOf(facts)
    const last = facts.offset + (list?.items.length ?? 0)
    const shown = last > facts.offset ? `${facts.offset + 1}-${last} of ${facts.total}` : `none of ${facts.total}`
    lines.push(`${heading(list?.name)}, ${shown}:`)
  }
  facts.candidates?.forEach((candidate, index) => {
    lines.push(`${(facts.offset ?? 0) + index + 1}. ${renderCandidate(candidate)}`)
  })
  for (const file of facts.files ?? []) {
    lines.push(`${file.path} | ${file.language} | ${file.size} B${file.tags ? ` | ${file.tags.join(', ')}` : ''}`)
  }
  for (const { code, message, path: where } of facts.warnings ?? []) {
    lines.push(`${code}: ${message}${where === undefined ? '' : ` (${where})`}`)
  }
  lines.push(...renderPageEnd(facts))
  if (facts.note) lines.push(facts.note)
  if (facts.next) lines.push(facts.next)
  return lines.join('\n')
}

function heading(name: 'candidates' | 'files' | 'warnings' | undefined): string {
  if (name === 'candidates') return 'Most worth testing'
  return name === 'warnings' ? 'Warnings' : 'Files'
}

function renderSummary(summary: SummaryFact): string[] {
  const languages = Object.entries(summary.languages).map(([language, count]) => `${language} ${count}`)
  return [
    `${summary.totalFiles} files: ${languages.join(', ') || 'none'}.`,
    ...(summary.package ? [`Package: ${summary.package}.`] : []),
    `Frameworks: ${summary.frameworks.join(', ') || 'none found'}. ` +
      `Test frameworks: ${summary.testFrameworks.join(', ') || 'none found'}. Has tests: ${summary.hasTests}.`,
    `${summary.candidateCount} test candidates, ${summary.warningCount} warnings.`,
  ]
}

function renderCandidate(candidate: CandidateFact): string {
  const { path: file, startLine, endLine, symbol, kind, score, hasTest, reasons, nearestTests } = candidate
  const near = nearestTests ? `; nearest tests ${nearestTests.join(', ')}` : ''
  const tested = hasTest ? 'has a test' : 'no test'
  return `${file}:${startLine}-${endLine} ${symbol} (${kind}, score ${score}, ${tested}): ${reasons.join('; ')}${near}`
}
