import { z } from 'zod'
import type { AnalysisResult } from '../../../engines/analysis/schema.ts'
import {
  AnalysisFacts,
  analysisForm,
  AnalysisSection,
  candidateFact,
  firstFindings,
  recordFacts,
  resultNotice,
} from '../../answers/analysis-facts.ts'
import { pageOf } from '../../answers/output.ts'
import { summaryFacts } from '../../answers/summary-facts.ts'
import { defineTool, Id, requireEither } from '../tool.ts'

const defaultLimit = 20

const Input = z.object({
  projectId: Id.optional().describe('For its latest analysis'),
  analysisId: Id.optional(),
  section: AnalysisSection.default('summary'),
  limit: z.int().min(1).max(100).optional(),
  offset: z.int().min(0).default(0),
})
type Input = z.output<typeof Input>

export const getAnalysis = defineTool({
  name: 'get_analysis',
  title: 'Read an analysis',
  description:
    'Returns one section of a stored analysis: summary, ranked test candidates, findings in the code, files with their language, ' +
    'or warnings about skipped content. Give projectId or analysisId.',
  scope: 'projects:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: Input,
  outputSchema: AnalysisFacts.omit({ localPath: true, scope: true, runId: true }),
  namesAmount: ({ limit }) => limit !== undefined,
  run: async (input, call) => {
    const { projectId, analysisId } = input
    requireEither(input, 'projectId', 'analysisId')
    const { result, ...record } =
      analysisId === undefined
        ? await call.core.projects.getLatestProjectAnalysis.query({ projectId: projectId ?? '' })
        : await call.core.analysis.getAnalysis.query({ analysisId, includeResult: true })
    if (!result) {
      const next =
        record.status === 'failed'
          ? 'Call analyze_repository with the projectId to try again.'
          : `Call analyze_repository with analysisId ${record.id} to wait for it.`
      return { ...recordFacts(record), next }
    }
    return { ...recordFacts(record), section: input.section, ...sectionOf(result, input), ...resultNotice }
  },
  ...analysisForm,
})

function sectionOf(result: AnalysisResult, { section, offset, limit = defaultLimit }: Input) {
  if (section === 'summary') return { summary: summaryFacts(result), ...firstFindings(result) }
  const all =
    {
      candidates: result.testCandidates?.map(candidateFact),
      findings: result.findings,
      files: result.files,
      warnings: result.warnings,
    }[section] ?? []
  const { items, page } = pageOf<(typeof all)[number]>(all, offset, limit)
  return { [section]: items, ...page }
}
