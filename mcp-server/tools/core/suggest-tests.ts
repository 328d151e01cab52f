import { z } from 'zod'
import type { SuggestTestsResult } from '../../../core/suggestions/schema.ts'
import { type Suggestion as CoreSuggestion, Suggestion } from '../../../core/ai/schema.ts'
import { overallProgress } from '../../answers/analysis-facts.ts'
import { findLocalProject } from '../../../client/find-project.ts'
import { afterFirstAnalysis, firstAnalysisMs } from '../../answers/wait-for-analysis.ts'
import { howToCreate } from '../../answers/find-project.ts'
import { describeLocalRepository } from '../../../client/local-repository.ts'
import { cutPage, dataNotice, Page, pageOf, renderPageEnd } from '../../answers/output.ts'
import { cleanLine, cleanName, cleanText, fence, shorten } from '../../../client/sanitize.ts'
import { cutForUpload } from '../../../client/upload.ts'
import { UserError } from '../../../client/user-error.ts'
import { type Call, defineTool, Id } from '../tool.ts'

const longestCode = 5_000
const defaultSuggestions = 5

const Input = z.object({
  projectId: Id.optional(),
  localPath: z.string().max(4_096).optional().describe('Local checkout, uncommitted changes included'),
  maxSuggestions: z.int().min(1).max(50).optional().describe(`Default ${defaultSuggestions}`),
  offset: z.int().min(0).default(0),
})
type Input = z.output<typeof Input>

const Output = z.object({
  status: z.enum(['completed', 'analyzing']),
  projectId: z.string(),
  localPath: z.string().optional(),
  commitSha: z.string().optional(),
  summary: z.string(),
  suggestions: z.array(Suggestion),
  ...Page.shape,
  note: z.string().optional(),
  next: z.string().optional(),
})
type Output = z.infer<typeof Output>

export const suggestTests = defineTool({
  name: 'suggest_tests',
  title: 'Suggest tests',
  description:
    "Suggests tests for what is most worth testing: place, why, example code in the project's test framework. " +
    'Analyses a project that never was; analyze_repository does it anew.',
  scope: 'analysis:run',
  // What is suggested is kept, and an AI provider may suggest something else the next time.
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: Output,
  asked: ({ maxSuggestions }) => maxSuggestions !== undefined,
  run: async (input, call) => {
    if (input.localPath !== undefined) return suggestLocally(input, input.localPath, call)
    if (input.projectId === undefined) {
      throw new UserError(
        `suggest_tests was not run: give projectId${call.local ? ' or localPath' : ''}. list_projects shows the ids.`,
      )
    }
    const { projectId, offset, maxSuggestions = defaultSuggestions } = input
    const key = JSON.stringify([call.caller, projectId, maxSuggestions])
    const kept = offset > 0 ? await findKept(key, call) : undefined
    const result = kept?.result ?? (await suggestFor(projectId, maxSuggestions, call))
    if (!result) {
      return notYet({
        projectId,
        next: 'The first analysis is still running. Call suggest_tests again to go on waiting.',
      })
    }
    call.suggestions.keep(key, { projectId, result })
    return { projectId, ...factsOf(result, offset) }
  },
  render,
  list: {
    count: ({ suggestions }) => suggestions.length,
    keep: ({ suggestions, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(suggestions, { total, offset, nextOffset }, count)
      return { ...facts, suggestions: items, ...page }
    },
  },
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

/** What was kept is shown only to those whom core still lets see the project. */
async function findKept(key: string, call: Call) {
  const kept = call.suggestions.find(key)
  if (kept) await call.core.projects.getProject.query({ projectId: kept.projectId })
  return kept
}

async function suggestLocally(input: Input, localPath: string, call: Call): Promise<Output> {
  if (!call.local) throw new UserError('suggest_tests was not run: localPath works only over stdio.')
  const { offset, maxSuggestions = defaultSuggestions } = input
  const repository = await describeLocalRepository(localPath)
  const root = shorten(cleanName(repository.root), 500)
  const key = JSON.stringify([call.caller, repository.root, input.projectId, maxSuggestions])
  const kept = offset > 0 ? await findKept(key, call) : undefined
  if (kept) return { projectId: kept.projectId, localPath: root, ...factsOf(kept.result, offset) }

  const projectId = input.projectId ?? (await findLocalProject(call.core, repository))?.id
  if (projectId === undefined) {
    throw new UserError(
      `None of your projects has the repository of ${root}. Call ${howToCreate(repository)}; or pass the projectId of ` +
        'any project: list_projects shows the ids.',
    )
  }
  const outcome = await call.local.analyze(localPath, {
    waitMs: firstAnalysisMs,
    signal: call.signal,
    onProgress: (progress) => call.reportProgress(overallProgress(progress)),
  })
  if (!outcome.done) {
    const next = 'The local analysis is still running. Call suggest_tests again with the same arguments.'
    return notYet({ projectId, localPath: root, next })
  }
  const analysisOverride = cutForUpload(outcome.result)
  const result = await call.core.analysis.suggestTests.mutate({ projectId, maxSuggestions, analysisOverride })
  call.suggestions.keep(key, { projectId, result })
  return { projectId, localPath: root, ...factsOf(result, offset) }
}

function factsOf(result: SuggestTestsResult, offset: number): Omit<Output, 'projectId'> {
  const { items, page } = pageOf(result.suggestions, offset, result.suggestions.length)
  return {
    status: 'completed',
    commitSha: result.commitSha,
    summary: shorten(cleanLine(result.summary), 1_000),
    suggestions: items.map(suggestionFact),
    ...page,
    note: dataNotice,
    ...(result.suggestions.length === 0
      ? { next: 'Nothing to suggest: get_analysis with section candidates shows what the analysis found.' }
      : {}),
  }
}

function suggestionFact(suggestion: CoreSuggestion): CoreSuggestion {
  const { id, target } = suggestion
  return {
    ...(id === undefined ? {} : { id: shorten(cleanName(id), 100) }),
    file_path: shorten(cleanName(suggestion.file_path), 400),
    test_type: suggestion.test_type,
    description: shorten(cleanLine(suggestion.description), 1_000),
    rationale: shorten(cleanLine(suggestion.rationale), 1_000),
    example_code: shorten(cleanText(suggestion.example_code), longestCode),
    ...(target ? { target: { ...target, symbol: shorten(cleanName(target.symbol), 200) } } : {}),
  }
}

function render({
  status,
  projectId,
  localPath,
  commitSha,
  summary,
  suggestions,
  note,
  next,
  ...page
}: Output): string {
  const of = `project ${projectId}${localPath === undefined ? '' : `, ${localPath}`}`
  const head =
    status === 'analyzing'
      ? `No suggestions yet for ${of}.`
      : `Suggestions ${page.offset + 1}-${page.offset + suggestions.length} of ${page.total} for ${of}, commit ${commitSha}.`
  const lines = [head, ...(note ? [note] : []), ...(summary ? [`Summary: ${summary}`] : [])]
  const header = sharedHeader(suggestions.map(({ example_code }) => example_code))
  if (header.length > 0)
    lines.push('Each example begins with these lines, here once for all:', fence(header.join('\n')))
  suggestions.forEach(({ id, file_path, test_type, description, rationale, example_code, target }, index) => {
    const place = target ? `:${target.startLine}-${target.endLine} ${target.symbol}` : ''
    lines.push(
      `${page.offset + index + 1}. ${test_type} test for ${file_path}${place}${id === undefined ? '' : ` (${id})`}`,
      `What: ${description}`,
      `Why: ${rationale}`,
      fence(example_code.split('\n').slice(header.length).join('\n')),
    )
  })
  lines.push(...renderPageEnd(page), ...(next ? [next] : []))
  return lines.join('\n')
}

/** The comment lines that several examples all begin with. */
function sharedHeader(examples: readonly string[]): string[] {
  const [first, ...others] = examples.map((example) => example.split('\n'))
  if (!first || others.length === 0) return []
  const end = first.findIndex(
    (line, index) => !/^(?:\/\/|# )/.test(line) || others.some((other) => other[index] !== line),
  )
  return first.slice(0, Math.max(0, end))
}
