import { z } from 'zod'
import { type Analysis, StartAnalysis } from '../../../core/analysis/schema.ts'
import { AnalysisFacts, analysisForm, bestCandidates, recordFacts } from '../../answers/analysis-facts.ts'
import { analysisProgress } from '../../../client/progress.ts'
import { findLocalProject } from '../../../client/find-project.ts'
import { waitForAnalysis } from '../../answers/wait-for-analysis.ts'
import { howToCreate } from '../../answers/find-project.ts'
import type { LocalRepository } from '../../../client/local-repository.ts'
import { UserError } from '../../../client/user-error.ts'
import { Measure, scopeOf, ScopeArguments } from '../../answers/scope-arguments.ts'
import { isMeasuring, whileMeasuring } from '../../answers/wait-for-measurement.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const defaultLimit = 10
const maxWaitSeconds = 45
const lookUpMs = 2_000

const Input = z.object({
  projectId: Id.optional(),
  localPath: z.string().max(4_096).optional().describe('Local checkout, uncommitted changes included'),
  analysisId: Id.optional().describe('Wait for this analysis'),
  branch: StartAnalysis.shape.branch,
  commitSha: StartAnalysis.shape.commitSha.describe('Full id'),
  waitSeconds: z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds),
  ...ScopeArguments,
  measure: Measure,
  limit: z.int().min(1).max(100).optional().describe('Candidates to return'),
  offset: z.int().min(0).optional().describe('With localPath or a scope'),
})
type Input = z.output<typeof Input>

export const analyzeRepository = defineTool({
  name: 'analyze_repository',
  title: 'Analyze a repository',
  description:
    'Finds what is most worth testing: functions, methods and classes with lines and reasons, best first. ' +
    'While the status is running, call again with its analysisId.',
  scope: 'analysis:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: AnalysisFacts.omit({ error: true, section: true, files: true, warnings: true }),
  namesAmount: ({ limit }) => limit !== undefined,
  task: ({ analysisId, runId, status }) =>
    analysisId !== undefined && runId === undefined && (status === 'pending' || status === 'running')
      ? `analysis_${analysisId}`
      : undefined,
  run: async (input, call) => {
    const { projectId, localPath, analysisId } = input
    if ([projectId, localPath, analysisId].filter((one) => one !== undefined).length !== 1) {
      refuse(`give exactly one of projectId, ${call.local ? 'localPath, ' : ''}analysisId.`)
    }
    const misplaced = projectId === undefined && (input.branch ?? input.commitSha) !== undefined
    if (misplaced) refuse('branch and commitSha need a projectId.')
    const scope = scopeOf(input)
    if (localPath === undefined && scope === undefined && input.offset !== undefined) {
      refuse(
        `offset needs paths, since${call.local ? ', symbols or a localPath' : ' or symbols'}. get_analysis pages through stored analyses.`,
      )
    }
    if (localPath !== undefined) return analyzeLocally(input, localPath, call)
    const deadline = Date.now() + input.waitSeconds * 1_000
    const id = analysisId ?? (await startAnalysis(input, call)).id
    const { result, ...record } = await waitForAnalysis(id, deadline, call)
    if (record.status !== 'completed') {
      const next = `Still ${record.status}. Call analyze_repository with analysisId ${id} to wait again.`
      return { ...recordFacts(record), next }
    }
    if (!result) throw new UserError(`Analysis ${id} is completed, but its result is gone. Start a new one.`)
    const next = `Next: suggest_tests with projectId ${record.projectId}${scope ? ' and the same scope' : ''}.`
    if (!scope && input.measure !== true) {
      return { ...recordFacts(record), ...bestCandidates(result, input.limit ?? defaultLimit), next }
    }
    const { measure = false } = input
    const wanted = { projectId: record.projectId, commitSha: record.commitSha ?? undefined, measure, ...scope }
    const ask = (waitSeconds: number) => call.core.analysis.analyzeRepository.mutate({ ...wanted, waitSeconds })
    const ranked = await whileMeasuring(ask, call)
    if (isMeasuring(ranked)) {
      const runId = ranked.measuringRun
      const again = `The run ${runId} measures the coverage. Call analyze_repository with analysisId ${record.id} and measure to wait for it.`
      return { ...recordFacts(record), status: 'running' as const, runId, next: again }
    }
    return { ...recordFacts(record), ...bestCandidates(ranked, input.limit ?? defaultLimit, input.offset), next }
  },
  ...analysisForm,
})

function startAnalysis({ projectId = '', branch, commitSha }: Input, call: Call): Promise<Analysis> {
  return call.core.analysis.startAnalysis.mutate({ projectId, branch, commitSha })
}

async function analyzeLocally(input: Input, path: string, call: Call): Promise<z.input<typeof AnalysisFacts>> {
  if (!call.local) return refuse('localPath works only over stdio.')
  if (input.measure === true) refuse('measure needs a projectId. suggest_tests measures the commit of a localPath.')
  const { offset = 0, limit = defaultLimit } = input
  const outcome = await call.local.analyze(path, {
    sameAsShown: offset > 0,
    scope: scopeOf(input),
    waitMs: input.waitSeconds * 1_000,
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(analysisProgress(progress)),
  })
  const localPath = outcome.repository.root
  if (!outcome.done) {
    return {
      localPath,
      status: 'running',
      progress: outcome.progress,
      next: 'Still running. Call analyze_repository with the same localPath to wait again.',
    }
  }
  const { result } = outcome
  const isEmpty = result.summary.totalFiles === 0
  return {
    localPath,
    status: 'completed',
    commitSha: /^0+$/.test(result.commitSha) ? undefined : result.commitSha,
    branch: result.branch,
    ...bestCandidates(result, limit, offset),
    next: isEmpty
      ? 'There is nothing to analyze. Add files and call analyze_repository again. They need no commit.'
      : await nextStep(outcome.repository, call),
  }
}

/** The answer shows the analysis even where core does not respond. */
async function nextStep(repository: LocalRepository, { core }: Call): Promise<string> {
  const usual = 'suggest_tests with the same localPath'
  try {
    const project = await findLocalProject(core, repository, AbortSignal.timeout(lookUpMs))
    return `Next: ${project ? usual : howToCreate(repository)}.`
  } catch (error) {
    const { coreFailure } = await import('../../../client/core-client.ts')
    if (!coreFailure(error)) throw error
    return `Next: ${usual}. Core did not respond: if no project has this repository, first ${howToCreate(repository)}.`
  }
}
