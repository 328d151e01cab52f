import type { AnalysisFacts, CandidateFact } from './analysis-facts.ts'
import { cutPage, type HowToGoOn, renderPageEnd } from './output.ts'
import type { SummaryFact } from './summary-facts.ts'

/** How the tools write an analysis down. */
export const analysisForm = {
  render: renderAnalysis,
  list: {
    count: (facts: AnalysisFacts) => listOf(facts)?.items.length ?? 0,
    keep: (facts: AnalysisFacts, count: number): AnalysisFacts => {
      const list = listOf(facts)
      if (!list || facts.total === undefined || facts.offset === undefined) return facts
      const { total, offset, nextOffset } = facts
      const { items, page } = cutPage<unknown>(list.items, { total, offset, nextOffset }, count, howToGoOn(facts))
      return { ...facts, ...page, [list.name]: items }
    },
  },
}

/** A stored analysis is paged through by get_analysis; a local one by the same tool again. */
function howToGoOn({ analysisId, section }: AnalysisFacts): HowToGoOn | undefined {
  if (analysisId === undefined || section !== undefined) return undefined
  return (offset) =>
    `Call get_analysis with analysisId ${analysisId}, section candidates, offset ${offset} for the rest.`
}

function listOf(facts: AnalysisFacts) {
  if (facts.candidates) return { name: 'candidates', items: facts.candidates } as const
  if (facts.files) return { name: 'files', items: facts.files } as const
  if (facts.warnings) return { name: 'warnings', items: facts.warnings } as const
  return undefined
}

function renderAnalysis(facts: AnalysisFacts): string {
  const what = facts.analysisId === undefined ? `Local analysis of ${facts.localPath}` : `Analysis ${facts.analysisId}`
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
  lines.push(...renderPageEnd(facts, howToGoOn(facts)))
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
  const { notParsed, firstWarnings = [], warningCount } = summary
  const told = warningCount > firstWarnings.length ? `the first ${firstWarnings.length}: ` : ''
  return [
    `${summary.totalFiles} files: ${languages.join(', ') || 'none, there is nothing to analyse'}.`,
    ...(notParsed ? [notParsed] : []),
    ...(summary.package ? [`Package: ${summary.package}.`] : []),
    `Frameworks: ${nameFrameworks(summary.frameworks, summary.perhapsFrameworks)}. ` +
      `Test frameworks: ${nameFrameworks(summary.testFrameworks, summary.perhapsTestFrameworks)}. ` +
      `Has tests: ${summary.hasTests}.`,
    `${counted(summary.candidateCount, 'test candidate')}, ${counted(warningCount, 'warning')}` +
      `${firstWarnings.length > 0 ? ` (${told}${firstWarnings.join('; ')})` : ''}.`,
  ]
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

function nameFrameworks(sure: readonly string[], unsure: readonly string[] = []): string {
  const perhaps = unsure.length > 0 ? [`perhaps: ${unsure.join(', ')}`] : []
  return [...sure, ...perhaps].join(', ') || 'none found'
}

function renderCandidate(candidate: CandidateFact): string {
  const { path: file, startLine, endLine, symbol, kind, reasons, nearestTests } = candidate
  const near = nearestTests ? `; nearest tests ${nearestTests.join(', ')}` : ''
  const tested = [describeCoverage(candidate), candidate.hasTest ? 'a test calls it' : 'no test calls it directly']
  return `${file}:${startLine}-${endLine} ${symbol} (${[kind, ...tested].join(', ')}): ${reasons.join('; ')}${near}`
}

/** What tests leave out is what a new one is worth; the score behind the order says nothing by itself. */
function describeCoverage({ coverage, coverageSource }: CandidateFact): string {
  if (coverage === undefined) return 'coverage not known'
  const unreached = Math.round((1 - coverage) * 100)
  return coverageSource === 'measured'
    ? `${unreached} % not covered by tests (measured)`
    : `about ${unreached} % unreached by tests (estimate)`
}
