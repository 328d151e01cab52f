import type { AnalysisFacts, CandidateFact } from './analysis-facts.ts'
import { cutPage, type Form, type HowToGoOn } from './output.ts'
import type { SummaryFact } from './summary-facts.ts'
import { counted, joined, type Line, row } from './words.ts'

/** How the tools write an analysis as text. */
export const analysisForm = {
  render: renderAnalysis,
  goOn: howToGoOn,
  list: (facts: AnalysisFacts) => {
    const name = nameOfList(facts)
    return name && facts.total !== undefined ? cutPage(facts, name, howToGoOn(facts)) : undefined
  },
} satisfies Form<AnalysisFacts>

/** get_analysis pages through a stored analysis; the same tool pages through a local one. */
function howToGoOn({ analysisId, section }: AnalysisFacts): HowToGoOn | undefined {
  if (analysisId === undefined || section !== undefined) return undefined
  return (offset) =>
    `Call get_analysis with analysisId ${analysisId}, section candidates, offset ${offset} for the rest.`
}

const headings = { candidates: 'Most worth testing', files: 'Files', warnings: 'Warnings' } as const

function nameOfList(facts: AnalysisFacts): keyof typeof headings | undefined {
  return facts.candidates ? 'candidates' : facts.files ? 'files' : facts.warnings ? 'warnings' : undefined
}

function renderAnalysis(facts: AnalysisFacts): Line[] {
  const { analysisId, status, error, progress, summary, candidates, files, warnings } = facts
  const what = analysisId === undefined ? `Local analysis of ${facts.localPath}` : `Analysis ${analysisId}`
  const where = joined(
    ', ',
    facts.projectId && `project ${facts.projectId}`,
    facts.commitSha && `commit ${facts.commitSha}`,
    facts.branch && `branch ${facts.branch}`,
  )
  return [
    `${what}: ${status}${where && ` (${where})`}.`,
    error && `Error: ${error}`,
    progress && `Progress: ${progress.phase}, ${progress.filesDone} of ${progress.filesTotal} files.`,
    ...(summary ? renderSummary(summary) : []),
    headOfList(facts),
    ...(candidates ?? []).map(
      (candidate, index) => `${(facts.offset ?? 0) + index + 1}. ${renderCandidate(candidate)}`,
    ),
    ...(files ?? []).map(({ path, language, size, tags }) => row(path, language, `${size} B`, tags?.join(', '))),
    ...(warnings ?? []).map(
      ({ code, message, path }) => `${code}: ${message}${path === undefined ? '' : ` (${path})`}`,
    ),
  ]
}

function headOfList(facts: AnalysisFacts): Line {
  const { offset, total } = facts
  const name = nameOfList(facts)
  if (name === undefined || offset === undefined || total === undefined) return undefined
  const count = facts[name]?.length ?? 0
  return `${headings[name]}, ${count > 0 ? `${offset + 1}-${offset + count} of ${total}` : `none of ${total}`}:`
}

function renderSummary(summary: SummaryFact): Line[] {
  const languages = Object.entries(summary.languages).map(([language, count]) => `${language} ${count}`)
  const { notParsed, firstWarnings = [], warningCount } = summary
  const beginning = warningCount > firstWarnings.length ? `the first ${firstWarnings.length}: ` : ''
  return [
    `${summary.totalFiles} files: ${languages.join(', ') || 'none, so there is nothing to analyze'}.`,
    notParsed,
    summary.package && `Package: ${summary.package}.`,
    `Frameworks: ${nameFrameworks(summary.frameworks, summary.perhapsFrameworks)}. ` +
      `Test frameworks: ${nameFrameworks(summary.testFrameworks, summary.perhapsTestFrameworks)}. ` +
      `Has tests: ${summary.hasTests}.`,
    `${counted(summary.candidateCount, 'test candidate')}, ${counted(warningCount, 'warning')}` +
      `${firstWarnings.length > 0 ? ` (${beginning}${firstWarnings.join('; ')})` : ''}.`,
  ]
}

const nameFrameworks = (sure: readonly string[], unsure: readonly string[] = []) =>
  joined(', ', ...sure, unsure.length > 0 && `perhaps: ${unsure.join(', ')}`) || 'none found'

function renderCandidate(candidate: CandidateFact): string {
  const { path, startLine, endLine, symbol, kind, hasTest, reasons, nearestTests } = candidate
  const near = nearestTests ? `; nearest tests ${nearestTests.join(', ')}` : ''
  const tested = hasTest ? 'a test calls it' : 'no test calls it directly'
  const about = [kind, describeCoverage(candidate), tested].join(', ')
  return `${path}:${startLine}-${endLine} ${symbol} (${about}): ${reasons.join('; ')}${near}`
}

/** A reader can act on the share that tests do not reach, and not on the score behind the order. */
function describeCoverage({ coverage, coverageSource }: CandidateFact): string {
  if (coverage === undefined) return 'coverage not known'
  const unreached = Math.round((1 - coverage) * 100)
  return coverageSource === 'measured'
    ? `${unreached} % not covered by tests (measured)`
    : `about ${unreached} % unreached by tests (estimate)`
}
