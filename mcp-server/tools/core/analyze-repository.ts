import { z } from 'zod'
import { type Analysis, StartAnalysis } from '../../../core/analysis/schema.ts'
import { AnalysisFacts, analysisForm, bestCandidates, recordFacts } from '../../answers/analysis-facts.ts'
import { analysisProgress } from '../../../client/progress.ts'
import { findLocalProject } from '../../../client/find-project.ts'
import { maxWaitMs, waitForAnalysis } from '../../answers/wait-for-analysis.ts'
import { howToCreate } from '../../answers/find-project.ts'
import { describeLocalRepository, type LocalRepository } from '../../../client/local-repository.ts'
import { findOrAddProject } from '../../../client/add-project.ts'
import type { Measured } from '../../../client/measured-ancestor.ts'
import { findPlanSettings } from '../../../client/plan-settings.ts'
import { inWordsOf } from '../../../client/procedure-names.ts'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import type { PlanSettings } from '../../../engines/test-plan/plan.ts'
import { UserError } from '../../../client/user-error.ts'
import { Measure, scopeOf, ScopeArguments } from '../../answers/scope-arguments.ts'
import { isUnfinished, measureCheckout, type Unfinished, whileMeasuring } from '../../answers/wait-for-measurement.ts'
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
    const deadline = deadlineOf(input)
    const id = analysisId ?? (await startAnalysis(input, call)).id
    const { measure = false } = input
    const again = `analysisId ${id}${measure ? ', measure: true' : ''}${scope ? ' and the same scope' : ''}`
    const isLimited = scope !== undefined || measure
    const { result, ...record } = await waitForAnalysis(id, deadline, call, !isLimited)
    if (record.status !== 'completed') {
      const next = `Still ${record.status}. Call analyze_repository with ${again} to wait again.`
      return { ...recordFacts(record), next }
    }
    const next = `Next: suggest_tests with projectId ${record.projectId}${scope ? ' and the same scope' : ''}.`
    if (!isLimited) {
      if (!result) throw new UserError(`Analysis ${id} is completed, but its result is gone. Start a new one.`)
      return { ...recordFacts(record), ...bestCandidates(result, input.limit ?? defaultLimit), next }
    }
    const wanted = { projectId: record.projectId, commitSha: record.commitSha ?? undefined, measure, ...scope }
    const ask = (waitSeconds: number) => call.core.analysis.analyzeRepository.mutate({ ...wanted, waitSeconds })
    const ranked = await whileMeasuring(ask, call, deadline)
    if (isUnfinished(ranked)) return { ...recordFacts(record), ...stillMeasuring(ranked, again) }
    return {
      ...recordFacts(record),
      ...bestCandidates(ranked, input.limit ?? defaultLimit, input.offset),
      next: withProblem(ranked.measurement?.problem, next),
    }
  },
  ...analysisForm,
})

/** What follows the wait takes the rest of the minute that clients wait. */
const deadlineOf = ({ waitSeconds, measure }: Input) =>
  Date.now() + (measure === true ? Math.min(waitSeconds * 1_000, maxWaitMs) : waitSeconds * 1_000)

function stillMeasuring({ unfinished }: Unfinished, again: string) {
  if (unfinished.kind === 'analysis_running') {
    const next = `The analysis of the commit is still running. Call analyze_repository with ${again} to wait for it.`
    return { status: 'running' as const, next }
  }
  const { runId } = unfinished
  const next = `The run ${runId} measures the coverage. Call analyze_repository with ${again} to wait for it.`
  return { status: 'running' as const, runId, next }
}

/** Says why the coverage is estimated, although the caller asked to measure it. */
const withProblem = (problem: string | null | undefined, next: string) =>
  typeof problem === 'string' ? `${shorten(cleanLine(inWordsOf('tools', problem)), 500)} ${next}` : next

function startAnalysis({ projectId = '', branch, commitSha }: Input, call: Call): Promise<Analysis> {
  return call.core.analysis.startAnalysis.mutate({ projectId, branch, commitSha })
}

async function analyzeLocally(input: Input, path: string, call: Call): Promise<z.input<typeof AnalysisFacts>> {
  if (!call.local) return refuse('localPath works only over stdio.')
  const { offset = 0, limit = defaultLimit } = input
  const deadline = deadlineOf(input)
  const repository = await describeLocalRepository(path)
  const known = await findKnown(repository, input, call, deadline)
  if (isUnfinished(known)) {
    return { localPath: repository.root, ...stillMeasuring(known, 'the same arguments') }
  }
  const outcome = await call.local.analyze(path, {
    sameAsShown: offset > 0,
    scope: scopeOf(input),
    waitMs: Math.max(0, deadline - Date.now()),
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(analysisProgress(progress)),
    measured: known.ancestor,
    planSettings: known.planSettings,
  })
  const localPath = outcome.repository.root
  if (!outcome.done) {
    return {
      localPath,
      status: 'running',
      progress: outcome.progress,
      next: 'Still running. Call analyze_repository with the same arguments to wait again.',
    }
  }
  const { result } = outcome
  const isEmpty = result.summary.totalFiles === 0
  return {
    localPath,
    status: 'completed',
    commitSha: /^0+$/.test(result.commitSha) ? undefined : result.commitSha,
    branch: result.branch,
    ...bestCandidates(
      known.problem === null ? result : { ...result, measurement: { runId: null, problem: known.problem } },
      limit,
      offset,
    ),
    next: isEmpty
      ? 'There is nothing to analyze. Add files and call analyze_repository again. They need no commit.'
      : withProblem(known.problem, known.next),
  }
}

interface KnownOfCheckout extends Measured {
  planSettings?: PlanSettings | undefined
  /** The next step after the analysis. */
  next: string
}

/** Asks core what it knows of a checkout. Without `measure`, an analysis needs neither a project nor core. */
async function findKnown(
  repository: LocalRepository,
  { measure = false }: Input,
  call: Call,
  deadline: number,
): Promise<KnownOfCheckout | Unfinished> {
  const { core, signal } = call
  const nothing = { ancestor: undefined, problem: null }
  const usual = 'suggest_tests with the same localPath'
  const ofProject = async (projectId: string) => {
    const measured = await measureCheckout({ projectId, root: repository.root, measure }, call, deadline)
    if (isUnfinished(measured)) return measured
    return { ...measured, planSettings: await findPlanSettings(core, projectId), next: `Next: ${usual}.` }
  }
  if (measure) {
    const added = await findOrAddProject(core, repository, signal)
    if (!added) throw new UserError(`measure needs a project of the repository. Call ${howToCreate(repository)}.`)
    const known = await ofProject(added.project.id)
    if (!added.isNew || isUnfinished(known)) return known
    return { ...known, next: `Added the checkout as the project ${added.project.id}. ${known.next}` }
  }
  try {
    const project = await findLocalProject(core, repository, AbortSignal.any([signal, AbortSignal.timeout(lookUpMs)]))
    return project ? await ofProject(project.id) : { ...nothing, next: `Next: ${howToCreate(repository)}.` }
  } catch (error) {
    const { coreFailure } = await import('../../../client/core-client.ts')
    if (signal.aborted || !coreFailure(error)) throw error
    const next = `Next: ${usual}. Core did not respond: if no project has this repository, first ${howToCreate(repository)}.`
    return { ...nothing, next }
  }
}
