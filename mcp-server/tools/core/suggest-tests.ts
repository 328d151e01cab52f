import { z } from 'zod'
import type { AnalysisScope } from '../../../engines/analysis/schema.ts'
import { analysisProgress } from '../../../client/progress.ts'
import { resolveSince } from '../../../client/committed-checkout.ts'
import { findOrAddProject } from '../../../client/add-project.ts'
import { afterFirstAnalysis, maxWaitMs } from '../../answers/wait-for-analysis.ts'
import { isUnfinished, measureCheckout, type Unfinished, whileMeasuring } from '../../answers/wait-for-measurement.ts'
import { findPlanSettings } from '../../../client/plan-settings.ts'
import { cutForUpload } from '../../../client/upload.ts'
import { howToCreate } from '../../answers/find-project.ts'
import type { SuggestTestsResult } from '../../../core/suggestions/schema.ts'
import { suggestionsOf } from '../../../client/local-suggestions.ts'
import { describeLocalRepository, type LocalRepository } from '../../../client/local-repository.ts'
import { Measure, scopeOf, ScopeArguments } from '../../answers/scope-arguments.ts'
import { answerSuggestions, SuggestionsAnswer, suggestionsForm } from '../../answers/suggestions-answer.ts'
import { cleanName, shorten } from '../../../client/sanitize.ts'
import { LocalPath, sendCheckout, type SentState } from '../../answers/send-checkout.ts'
import { UserError } from '../../../client/user-error.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const defaultSuggestions = 5

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  ...ScopeArguments,
  measure: Measure,
  detail: z.boolean().optional().describe('With examples'),
  maxSuggestions: z.int().min(1).max(50).optional().describe(`Default ${defaultSuggestions}`),
  offset: z.int().min(0).default(0),
})
type Input = z.output<typeof Input>

type Given = z.input<typeof SuggestionsAnswer>

export const suggestTests = defineTool({
  name: 'suggest_tests',
  title: 'Suggest tests',
  description:
    'Suggests tests for the code most worth testing: untested cases, where the test goes, what it calls. ' +
    'Analyzes the project first if it has no analysis; analyze_repository renews it.',
  scope: 'analysis:run',
  // Core stores the suggestions, and an AI provider may return others the next time.
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: SuggestionsAnswer,
  namesAmount: ({ maxSuggestions }) => maxSuggestions !== undefined,
  run: async (input, call): Promise<Given> => {
    if (input.localPath !== undefined) return suggestLocally(input, input.localPath, call)
    if (input.projectId === undefined) {
      return refuse(`give projectId${call.local ? ' or localPath' : ''}. list_projects shows the ids.`)
    }
    const { projectId, offset } = input
    const key = keyOf(input, projectId, call)
    const kept = offset > 0 ? await findKept(key, call) : undefined
    const result = kept?.result ?? (await suggestFor(projectId, input, call))
    if (!result) {
      return notYet({
        projectId,
        next: 'The first analysis is still running. Call suggest_tests again to wait for it.',
      })
    }
    if (isUnfinished(result)) return stillWorking({ projectId }, result)
    call.suggestions.keep(key, { projectId, result })
    return { projectId, ...answerSuggestions(result, input) }
  },
  ...suggestionsForm,
})

const keyOf = (input: Input, place: string, { caller }: Call) =>
  JSON.stringify([caller, place, input.projectId, input.maxSuggestions ?? defaultSuggestions, scopeOf(input)])

/** Returns undefined while the project's first analysis takes longer than the call waits. */
function suggestFor(projectId: string, input: Pick<Input, 'maxSuggestions' | 'measure'> & AnalysisScope, call: Call) {
  const { maxSuggestions = defaultSuggestions, measure = false } = input
  const ask = (waitSeconds: number) =>
    call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions, waitSeconds, measure, ...scopeOf(input) })
  return measure ? whileMeasuring(ask, call, Date.now() + maxWaitMs) : afterFirstAnalysis(() => ask(0), call)
}

const stillAnalyzing = 'The local analysis is still running. Call suggest_tests again with the same arguments.'

type Head = Pick<SuggestionsAnswer, 'projectId' | 'localPath'>

const notYet = (facts: Head & Pick<SuggestionsAnswer, 'next'>): Given => ({
  status: 'analyzing',
  summary: '',
  suggestions: [],
  total: 0,
  offset: 0,
  ...facts,
})

function stillWorking(head: Head, { unfinished }: Unfinished): Given {
  const again = 'Call suggest_tests again with the same arguments to wait for it.'
  if (unfinished.kind === 'analysis_running') {
    return notYet({ ...head, next: `The analysis of the commit is still running. ${again}` })
  }
  const { runId } = unfinished
  const next = `The run ${runId} measures the coverage. ${again}`
  return { ...notYet(head), status: 'measuring', runId, next }
}

/** Asks core each time whether the caller may still see the project. */
async function findKept(key: string, call: Call) {
  const kept = call.suggestions.find(key)
  if (kept?.projectId !== undefined) await call.core.projects.getProject.query({ projectId: kept.projectId })
  return kept
}

async function suggestLocally(input: Input, localPath: string, call: Call): Promise<Given> {
  if (!call.local) return refuse('localPath works only over stdio.')
  const { offset, measure = false } = input
  const repository = await describeLocalRepository(localPath)
  const { root } = repository
  const key = keyOf(input, root, call)
  const kept = offset > 0 ? await findKept(key, call) : undefined
  if (kept) return answerLocally(kept, input, repository)

  const added = input.projectId === undefined ? await findOrAddProject(call.core, repository, call.signal) : undefined
  const projectId = input.projectId ?? added?.project.id
  if (projectId === undefined) return suggestWithoutProject(input, repository, key, call)
  const note = added?.isNew === true ? { added: `Added the checkout as the project ${projectId}.` } : {}
  const head = { projectId, localPath: root, ...note }
  const deadline = Date.now() + maxWaitMs
  const place = { projectId, root }
  const sent = await sendIfTaken(place, call)
  // The coverage of a snapshot is that of its commit.
  const needsMeasured = measure && sent?.state.commitSha === undefined
  const measured = needsMeasured ? await measureCheckout({ ...place, measure }, call, deadline) : undefined
  if (measured && isUnfinished(measured)) return stillWorking(head, measured)
  // An analysis of the snapshot from before the measurement would lack the measured coverage.
  const isForServer = sent !== undefined && !needsMeasured
  const answer = isForServer
    ? await askWithState(sent, root, input, call, deadline)
    : await askWithAnalysis(place, input, call, deadline)
  if (answer === 'analyzing') return notYet({ ...head, next: stillAnalyzing })
  if (isUnfinished(answer)) return stillWorking(head, answer)
  const { state, ...found } = answer
  const problems = measured?.problem ? [measured.problem] : []
  const result = { ...found, warnings: [...problems, ...(found.warnings ?? [])] }
  call.suggestions.keep(key, { projectId, result })
  return { ...head, state, ...answerSuggestions(result, input) }
}

interface ProjectCheckout {
  projectId: string
  root: string
}

type Suggested = SuggestTestsResult & { state: string }

/** Returns undefined where the server cannot take snapshots of the project, for example because its repository is private. */
async function sendIfTaken({ projectId, root }: ProjectCheckout, call: Call): Promise<SentState | undefined> {
  const { coreFailure } = await import('../../../client/core-client.ts')
  try {
    return await sendCheckout({ localPath: root, projectId, tool: 'suggest_tests' }, call)
  } catch (error) {
    const failure = coreFailure(error)
    if (failure?.kind === 'refused' && ['CONFLICT', 'FORBIDDEN'].includes(failure.code)) return undefined
    throw error
  }
}

/** Suggests tests for the commit or snapshot that has the state of the checkout. */
async function askWithState(
  sent: SentState,
  root: string,
  input: Input,
  call: Call,
  deadline: number,
): Promise<Suggested | Unfinished> {
  const { projectId, state } = sent
  const { maxSuggestions = defaultSuggestions, since } = input
  const scope = await resolveSince(root, scopeOf(input))
  const measure = state.commitSha !== undefined && input.measure === true
  const wanted = { projectId, ...state, maxSuggestions, measure, ...scope }
  const answer = await whileMeasuring(
    (waitSeconds) => call.core.analysis.suggestTests.mutate({ ...wanted, waitSeconds }),
    call,
    deadline,
  )
  if (isUnfinished(answer)) return answer
  const asGiven = answer.scope && since !== undefined ? { scope: { ...answer.scope, since } } : {}
  return { ...answer, ...asGiven, state: sent.words }
}

/** Suggests tests from an analysis on this machine. */
async function askWithAnalysis(
  { projectId, root }: ProjectCheckout,
  input: Input,
  call: Call,
  deadline: number,
): Promise<Suggested | Unfinished | 'analyzing'> {
  const measured = await measureCheckout({ projectId, root, measure: false }, call, deadline)
  if (isUnfinished(measured)) return measured
  const outcome = await call.local?.analyze(root, {
    waitMs: Math.max(0, deadline - Date.now()),
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(analysisProgress(progress)),
    scope: scopeOf(input),
    measured: measured.ancestor,
    planSettings: await findPlanSettings(call.core, projectId),
  })
  if (!outcome?.done) return 'analyzing'
  const { maxSuggestions = defaultSuggestions } = input
  const analysisOverride = cutForUpload(outcome.result)
  const answer = await call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions, analysisOverride })
  return { ...answer, state: 'analyzed on this machine' }
}

/** Suggests tests from the analysis of the working tree alone, where no project has the checkout. */
async function suggestWithoutProject(
  input: Input,
  repository: LocalRepository,
  key: string,
  call: Call,
): Promise<Given> {
  const { root } = repository
  const { maxSuggestions = defaultSuggestions, measure } = input
  if (measure === true) {
    throw new UserError(
      `Only a project can be measured, and none has the repository of ${shorten(cleanName(root), 500)}. Call ${howToCreate(repository)}; ` +
        'or pass the projectId of any project: list_projects shows the ids.',
    )
  }
  const outcome = await call.local?.analyze(root, {
    waitMs: maxWaitMs,
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(analysisProgress(progress)),
    scope: scopeOf(input),
  })
  if (!outcome?.done) return notYet({ localPath: root, next: stillAnalyzing })
  const made = { projectId: undefined, result: suggestionsOf(outcome.result, maxSuggestions) }
  call.suggestions.keep(key, made)
  return answerLocally(made, input, repository)
}

function answerLocally(
  { projectId, result }: { projectId: string | undefined; result: SuggestTestsResult },
  input: Input,
  repository: LocalRepository,
): Given {
  const answer = { localPath: repository.root, ...answerSuggestions(result, input) }
  if (projectId !== undefined) return { projectId, ...answer }
  const next = `No project has this checkout, so nothing is stored or measured. For that, call ${howToCreate(repository)}.`
  return { ...answer, next }
}
