import { z } from 'zod'
import { type Analysis, AnalysisProgress, AnalysisStatus, type AnalyzedRepository } from '../../core/analysis/schema.ts'
import { type AnalysisResult, AnalyzedFile, Finding, TestCandidate } from '../../engines/analysis/schema.ts'
import { AnalysisWarning } from '../../engines/source/schema.ts'
import { dataNotice, type Form, Page, pageOf } from './output.ts'
import { describeScope } from '../../client/scope-words.ts'
import { caseLine, throughWords } from '../../client/suggestion-words.ts'
import { ThroughFact } from './suggestion-facts.ts'
import { LanguageLabel, SummaryFact, summaryFacts } from './summary-facts.ts'
import { first, maybe, untrusted } from './untrusted.ts'

const Path = untrusted.name(400)

const CandidateFact = TestCandidate.pick({
  kind: true,
  startLine: true,
  endLine: true,
  hasTest: true,
  coverage: true,
  coverageSource: true,
}).extend({
  path: Path,
  symbol: untrusted.name(200),
  score: z.number().overwrite((score) => Number(score.toPrecision(3))),
  reasons: first(6, untrusted.line(160)),
  nearestTests: maybe(first(2, Path)),
  uncovered: maybe(first(10, TestCandidate.shape.uncovered.unwrap().element)),
  changedSince: maybe(first(10, TestCandidate.shape.changedSince.unwrap().element)),
  through: ThroughFact.optional(),
  /** The first of the cases that no test runs, in words. suggest_tests has all of them. */
  cases: maybe(first(4, untrusted.line(160))),
})
type CandidateFact = z.infer<typeof CandidateFact>

const FileFact = AnalyzedFile.omit({ extension: true }).extend({
  path: Path,
  language: LanguageLabel,
  tags: maybe(AnalyzedFile.shape.tags.unwrap()),
})

const WarningFact = AnalysisWarning.extend({ message: untrusted.line(300), path: Path.optional() })

const FindingFact = Finding.pick({ kind: true, line: true }).extend({
  path: Path,
  message: untrusted.line(300),
})
type FindingFact = z.infer<typeof FindingFact>

export const AnalysisSection = z.enum(['summary', 'candidates', 'findings', 'files', 'warnings'])

/** An analysis as the tools show it: always the head, and the requested part of the result. */
export const AnalysisFacts = z.object({
  status: AnalysisStatus,
  /** Absent, as is the project, for an analysis of a local working tree: core does not store it. */
  analysisId: z.string().optional(),
  projectId: z.string().optional(),
  /** The page for people. */
  url: z.string().optional(),
  localPath: untrusted.name(500).optional(),
  commitSha: maybe(z.string()),
  branch: maybe(untrusted.name(1_000)),
  progress: maybe(AnalysisProgress),
  error: maybe(untrusted.line(600)),
  /** The section that get_analysis was called for. */
  section: AnalysisSection.optional(),
  /** The run that measures the coverage. */
  runId: z.string().optional(),
  /** The part of the repository that the candidates are limited to. */
  scope: untrusted.line(600).optional(),
  summary: SummaryFact.optional(),
  candidates: z.array(CandidateFact).optional(),
  /** Undeclared imports, dead exports and parameters that are never read. */
  findings: z.array(FindingFact).optional(),
  files: z.array(FileFact).optional(),
  warnings: z.array(WarningFact).optional(),
  ...Page.partial().shape,
  note: z.string().optional(),
  next: z.string().optional(),
})
export type AnalysisFacts = z.infer<typeof AnalysisFacts>

/** The head of a stored analysis. */
export const recordFacts = ({
  id: analysisId,
  projectId,
  url,
  status,
  commitSha,
  branch,
  progress,
  error,
}: Analysis) => ({
  analysisId,
  projectId,
  url,
  status,
  commitSha,
  branch,
  progress: status === 'completed' || status === 'failed' ? null : progress,
  error: error && `${error.code}: ${error.message}`,
})

/** Accompanies every part of a result. */
export const resultNotice = { note: dataNotice }

/** The summary and the best candidates. */
export function bestCandidates(result: AnalyzedRepository, limit: number, offset = 0) {
  const { items, page } = pageOf(result.testCandidates ?? [], offset, limit)
  const { scope } = result.summary
  return {
    ...(scope ? { scope: describeScope(scope) } : {}),
    summary: summaryFacts(result),
    candidates: items.map(candidateFact),
    ...firstFindings(result),
    ...page,
    ...resultNotice,
  }
}

const maxFindings = 10

/** The first findings, of which get_analysis has all. Nothing is said if there is none. */
export const firstFindings = ({ findings = [] }: AnalysisResult) =>
  findings.length === 0 ? {} : { findings: findings.slice(0, maxFindings) }

/** Words the cases of a candidate. */
export const candidateFact = ({ cases, ...candidate }: TestCandidate) => ({
  ...candidate,
  ...(cases ? { cases: cases.map(caseLine) } : {}),
})

/** How the tools write an analysis as text. */
export const analysisForm: Form<AnalysisFacts> = {
  textFacts: ({ candidates, findings, ...facts }) => ({
    ...facts,
    ...(candidates ? { candidates: candidates.map(candidateText) } : {}),
    ...(findings ? { findings: `${findings.map(findingText).join('\n')}\n` } : {}),
  }),
  // get_analysis pages through a stored analysis; analyze_repository pages through a local one, and through a scope.
  continueWith: ({ analysisId, section, scope }) =>
    analysisId === undefined || section !== undefined || scope !== undefined
      ? undefined
      : (offset) =>
          `Call get_analysis with analysisId ${analysisId}, section candidates, offset ${offset} for the rest.`,
}

const findingText = ({ path, line, message }: FindingFact) => `${path}:${line} ${message}`

const candidateText = ({ path, startLine, endLine, symbol, kind, hasTest, ...candidate }: CandidateFact) => ({
  place: `${path}:${startLine}-${endLine}`,
  symbol,
  kind,
  unreachedByTests: describeCoverage(candidate),
  tests: hasTest ? 'a test calls it' : 'no direct call by a test was found',
  reasons: candidate.reasons,
  nearestTests: candidate.nearestTests,
  through: candidate.through && throughWords(candidate.through, path).replace(/^, through /, ''),
  changed: candidate.changedSince && linesOf(candidate.changedSince),
  cases: candidate.cases && `${candidate.cases.join('\n')}\n`,
})

const linesOf = (ranges: NonNullable<CandidateFact['uncovered']>) =>
  ranges.map(({ startLine, endLine }) => (startLine === endLine ? startLine : `${startLine}-${endLine}`)).join(', ')

/** An agent can act on the share that tests do not reach, and not on the score behind the order. */
function describeCoverage({
  coverage,
  coverageSource,
  uncovered,
}: Pick<CandidateFact, 'coverage' | 'coverageSource' | 'uncovered'>): string {
  if (coverage === undefined) return 'not known'
  const unreached = Math.round((1 - coverage) * 100)
  return coverageSource === 'measured'
    ? `${unreached} % (measured)${uncovered ? `: ${linesOf(uncovered)}` : ''}`
    : `about ${unreached} % (estimate)`
}
