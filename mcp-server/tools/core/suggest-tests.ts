import { z } from 'zod'
import type { SuggestTestsResult } from '../../../core/suggestions/schema.ts'
import { Suggestion } from '../../../core/ai/schema.ts'
import { analysisProgress } from '../../../client/progress.ts'
import { findCommittedCheckout } from '../../../client/committed-checkout.ts'
import { findOrAddProject } from '../../../client/add-project.ts'
import { afterFirstAnalysis, firstAnalysisMs } from '../../answers/wait-for-analysis.ts'
import { howToCreate } from '../../answers/find-project.ts'
import { describeLocalRepository } from '../../../client/local-repository.ts'
import { dataNotice, Page, pageOf } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { cleanName, shorten } from '../../../client/sanitize.ts'
import { whereMeasured } from '../../../client/coverage-words.ts'
import { inWordsOf } from '../../../client/procedure-names.ts'
import { cutForUpload } from '../../../client/upload.ts'
import { UserError } from '../../../client/user-error.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const defaultSuggestions = 5

const Input = z.object({
  projectId: Id.optional(),
  localPath: z.string().max(4_096).optional().describe('Local checkout, uncommitted changes included'),
  maxSuggestions: z.int().min(1).max(50).optional().describe(`Default ${defaultSuggestions}`),
  offset: z.int().min(0).default(0),
})
type Input = z.output<typeof Input>

const SuggestionFact = Suggestion.extend({
  id: untrusted.name(100).optional(),
  file_path: untrusted.name(400),
  description: untrusted.line(1_000),
  rationale: untrusted.line(1_000),
  example_code: untrusted.text(5_000),
  target: Suggestion.shape.target
    .unwrap()
    .extend({ symbol: untrusted.name(200) })
    .optional(),
})

const Output = z.object({
  status: z.enum(['completed', 'analyzing']),
  projectId: z.string(),
  localPath: untrusted.name(500).optional(),
  commitSha: z.string().optional(),
  /** Says so if the call has added the checkout as a project. */
  added: z.string().optional(),
  summary: untrusted.line(1_000),
  coverage: maybe(z.string()),
  suggestions: z.array(SuggestionFact),
  ...Page.shape,
  note: z.string().optional(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

export const suggestTests = defineTool({
  name: 'suggest_tests',
  title: 'Suggest tests',
  description:
    "Suggests tests for the code that is most worth testing: place, reason, example in the project's test framework. " +
    'Analyzes the project first if it has no analysis; analyze_repository renews it.',
  scope: 'analysis:run',
  // Core stores the suggestions, and an AI provider may return others the next time.
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: Output,
  namesAmount: ({ maxSuggestions }) => maxSuggestions !== undefined,
  run: async (input, call) => {
    if (input.localPath !== undefined) return suggestLocally(input, input.localPath, call)
    if (input.projectId === undefined) {
      return refuse(`give projectId${call.local ? ' or localPath' : ''}. list_projects shows the ids.`)
    }
    const { projectId, offset, maxSuggestions = defaultSuggestions } = input
    const key = JSON.stringify([call.caller, projectId, maxSuggestions])
    const kept = offset > 0 ? await findKept(key, call) : undefined
    const result = kept?.result ?? (await suggestFor(projectId, maxSuggestions, call))
    if (!result) {
      return notYet({
        projectId,
        next: 'The first analysis is still running. Call suggest_tests again to wait for it.',
      })
    }
    call.suggestions.keep(key, { projectId, result })
    return { projectId, ...factsOf(result, offset) }
  },
  textFacts,
})

/** Returns undefined while the project's first analysis takes longer than the call waits. */
const suggestFor = (projectId: string, maxSuggestions: number, call: Call) =>
  afterFirstAnalysis(() => call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions, waitSeconds: 0 }), call)

const notYet = (facts: Pick<Output, 'projectId' | 'localPath' | 'next'>): Output => ({
  status: 'analyzing',
  summary: '',
  suggestions: [],
  total: 0,
  offset: 0,
  ...facts,
})

/** Asks core each time whether the caller may still see the project. */
async function findKept(key: string, call: Call) {
  const kept = call.suggestions.find(key)
  if (kept) await call.core.projects.getProject.query({ projectId: kept.projectId })
  return kept
}

async function suggestLocally(input: Input, localPath: string, call: Call): Promise<z.input<typeof Output>> {
  if (!call.local) return refuse('localPath works only over stdio.')
  const { offset, maxSuggestions = defaultSuggestions } = input
  const repository = await describeLocalRepository(localPath)
  const { root } = repository
  const key = JSON.stringify([call.caller, root, input.projectId, maxSuggestions])
  const kept = offset > 0 ? await findKept(key, call) : undefined
  if (kept) return { projectId: kept.projectId, localPath: root, ...factsOf(kept.result, offset) }

  const added = input.projectId === undefined ? await findOrAddProject(call.core, repository, call.signal) : undefined
  const projectId = input.projectId ?? added?.project.id
  if (projectId === undefined) {
    throw new UserError(
      `None of your projects has the repository of ${shorten(cleanName(root), 500)}. Call ${howToCreate(repository)}; or pass the projectId of ` +
        'any project: list_projects shows the ids.',
    )
  }
  const note = added?.isNew === true ? { added: `Added the checkout as the project ${projectId}.` } : {}
  const head = { projectId, localPath: root, ...note }
  const committed = added && (await findCommittedCheckout(call.core, added.project, repository))
  if (committed?.isAnalyzed === true) {
    const result = await call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions })
    call.suggestions.keep(key, { projectId, result })
    return { ...head, ...factsOf(result, offset) }
  }
  const outcome = await call.local.analyze(localPath, {
    waitMs: firstAnalysisMs,
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(analysisProgress(progress)),
  })
  if (!outcome.done) {
    const next = 'The local analysis is still running. Call suggest_tests again with the same arguments.'
    return notYet({ projectId, localPath: root, next })
  }
  const analysisOverride = cutForUpload(outcome.result)
  const result = await call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions, analysisOverride })
  call.suggestions.keep(key, { projectId, result })
  return { ...head, ...factsOf(result, offset) }
}

function factsOf(result: SuggestTestsResult, offset: number) {
  const { commitSha, summary } = result
  const { items, page } = pageOf(result.suggestions, offset, result.suggestions.length)
  const next = 'Nothing to suggest: get_analysis with section candidates shows what the analysis found.'
  return {
    status: 'completed' as const,
    commitSha,
    summary: inWordsOf('tools', summary),
    coverage: whereMeasured(result.coverage, 'trigger_run'),
    suggestions: items,
    ...page,
    note: dataNotice,
    ...(result.suggestions.length === 0 ? { next } : {}),
  }
}

/** Shows the lines that begin all examples once, and where the code under test is in one field. */
function textFacts({ suggestions, ...facts }: Output) {
  const header = sharedHeader(suggestions.map(({ example_code }) => example_code))
  return {
    ...facts,
    ...(header.length > 0 ? { 'Every example begins with these lines': `${header.join('\n')}\n` } : {}),
    suggestions: suggestions.map(({ target, ...suggestion }) => ({
      ...suggestion,
      target: target && `${target.symbol}, lines ${target.startLine}-${target.endLine}`,
      example_code: suggestion.example_code.split('\n').slice(header.length).join('\n'),
    })),
  }
}

/** The comment lines at the beginning of all examples. */
function sharedHeader(examples: readonly string[]): string[] {
  const [first, ...others] = examples.map((example) => example.split('\n'))
  if (!first || others.length === 0) return []
  const end = first.findIndex(
    (line, index) => !/^(?:\/\/|# )/.test(line) || others.some((other) => other[index] !== line),
  )
  return first.slice(0, Math.max(0, end))
}
