import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { invalid } from '../base/errors.ts'
import { suggestionsUrl } from '../base/page-urls.ts'
import { getOwnProject, type OwnProject } from '../projects/get.ts'
import { storeSuggestions } from './store.ts'
import { loadTaken, type Taken } from './taken.ts'
import { takeAiTurn } from '../ai/slots.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { askForSuggestions, type FoundSuggestions, withoutTaken } from './ask-suggestions.ts'
import { knownFiles } from './check-suggestion.ts'
import { materialForCandidates } from '../ai/choose-material.ts'
import { AnalysisEntity } from '../analysis/entity.ts'
import { analyzeCommit, namesState, requireResult, scopeOf } from '../analysis/analyze-repository.ts'
import { noSuchSnapshot } from '../snapshots/get.ts'
import { measureCommit, refuseMeasuringSnapshot } from '../test-runs/measure.ts'
import { type Material, readMaterial } from '../ai/read-material.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { shown } from '../base/repository-path.ts'
import { dialectOf } from '../../engines/parsing/dialects.ts'
import type { SuggestTests, SuggestTestsResult } from './schema.ts'
import type { AnalysisResult } from '../../engines/analysis/schema.ts'
import { ownerOf } from '../projects/owner.ts'
import { readGivenAnalysis } from './read-given.ts'

/** What `setAside` makes of an analysis. */
interface SetAside {
  text: number
}

/** Some suggestions may be omitted from the answer, so the AI service reads more files than requested. */
const readPerSuggestion = 2
const readTimeoutMs = 20_000
const maxWarnings = 20

/**
 * Suggests tests for the latest stored analysis of the repository, for a branch, commit or snapshot, or for the analysis
 * that the caller sends. Does not repeat suggestions that were accepted, dismissed or written. Analyzes what has no
 * analysis. Stores the suggestions if they are for the latest analyzed commit, as the code of others may not exist in the
 * project.
 */
export async function suggestTests(ctx: Context, input: SuggestTests): Promise<SuggestTestsResult> {
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const scope = scopeOf(input)
  const { branch, commitSha: wantedCommit, snapshotId } = input
  const state = { branch, commitSha: wantedCommit, snapshotId }
  if (input.analysisOverride !== undefined) {
    refuseWithOverride({ ...scope, ...state, measure: input.measure || undefined })
  }
  if (input.measure) refuseMeasuringSnapshot(input)
  const analysisOverride = await readOverride(ctx, project, input.analysisOverride as SetAside | undefined)
  const { projectId, waitSeconds, maxSuggestions: count } = input
  const result = () => requireResult(ctx, { projectId, waitSeconds, ...state, scope })
  const measurement = input.measure
    ? await measureCommit(ctx, {
        projectId,
        waitSeconds,
        beforeRun: scope && result,
        ...(namesState(state) && { analyzed: await analyzeCommit(ctx, { projectId, ...state }, waitSeconds) }),
      })
    : undefined
  const analysis = analysisOverride ?? (await result())
  using _turn = takeAiTurn(project)
  const taken = await loadTaken(ctx, project.id)
  // The caller's own analysis may have the lines of changed files.
  const { warning, ...material } = analysisOverride
    ? nothing
    : await readBest(ctx, project, { analysis, snapshotId, count, taken })
  const isKnown = knownFiles(analysis, !analysisOverride)
  const found = nothingRanked(analysis) ?? (await askForSuggestions(ctx, { analysis, count, taken, material, isKnown }))
  const { commitSha } = analysis
  const isLatest = async () => commitSha === (await latestCommit(ctx, project.id))
  const isLatestAnalysis = !analysisOverride && !namesState(state)
  const isKept = snapshotId === undefined && (isLatestAnalysis || (await isLatest()))
  const suggestions = isKept
    ? await storeSuggestions(ctx, { projectId: project.id, commitSha, isSent: !!analysisOverride }, found)
    : found.suggestions
  const problems = [measurement?.problem, warning].filter((text) => typeof text === 'string')
  const warnings = [...problems, ...found.warnings].slice(0, maxWarnings)
  const { coverage, scope: resolved, testing } = analysis.summary
  return {
    success: true,
    commitSha,
    ...(isKept ? { url: suggestionsUrl(ctx, project.id) } : {}),
    suggestions,
    summary: found.summary,
    suggestionCount: suggestions.length,
    ...(coverage === undefined ? {} : { coverage }),
    ...(resolved ? { scope: resolved } : {}),
    ...(testing ? { testing } : {}),
    ...(measurement ? { measurement } : {}),
    ...(warnings.length > 0 ? { warnings: warnings.map((text) => shown(text, 500)) } : {}),
  }
}

/**
 * Says why an analysis without candidates gets no suggestions. Without a ranking, the AI service would take any file, which
 * helps only where Assay parses no file of the repository.
 */
function nothingRanked({ summary, testCandidates, files }: AnalysisResult): FoundSuggestions | undefined {
  const { scope, coverage } = summary
  const nothing = (words: string) => ({ suggestions: [], summary: words, warnings: [], tokensUsed: null })
  if (testCandidates && testCandidates.length > 0) return undefined
  if (!scope) {
    const isParsed = files.some(({ language, path }) => dialectOf(language, path) !== undefined)
    if (!testCandidates || !isParsed) return undefined
    if (coverage)
      return nothing('Tests run every line and branch of the functions that Assay ranks. Nothing to suggest.')
  } else if (scope.files === 0) return nothing(`Nothing in the scope has changed since ${scope.since ?? 'then'}.`)
  const count = scope?.files ?? summary.totalFiles
  const measured = coverage ? ', functions that tests run completely' : ''
  return nothing(
    `The ${scope ? 'scope' : 'repository'} has ${count === 1 ? '1 file' : `${count} files`}, and Assay ranks no function in it. It leaves out tests, generated code, trivial functions${measured}, and languages that it does not parse.`,
  )
}

/** The caller's analysis is as the caller has made it. */
function refuseWithOverride(fields: Record<string, unknown>): void {
  const [field] = Object.keys(fields).filter((name) => fields[name] !== undefined)
  if (field !== undefined) {
    throw invalid(
      `${field}: cannot be combined with analysisOverride. Limit or measure the analysis before you send it.`,
    )
  }
}

async function readOverride(ctx: Context, project: OwnProject, given: SetAside | undefined) {
  if (!given) return undefined
  const text = ctx.texts?.[given.text]
  if (!text) throw invalid('analysisOverride: must be part of the body of the request')
  return readGivenAnalysis(ctx, text, ownerOf(project))
}

const nothing: Material & { warning?: string } = { sources: [], style_examples: [] }

/** Reads the source of the best candidates. Suggestions are possible without it. */
async function readBest(
  ctx: Context,
  project: OwnProject,
  {
    analysis,
    snapshotId = null,
    count,
    taken,
  }: { analysis: AnalysisResult; snapshotId: string | null | undefined; count: number; taken: Taken },
): Promise<Material & { warning?: string }> {
  const left = withoutTaken(analysis, (path, symbol) => !taken.hasCode(path, symbol))
  const best = left?.testCandidates?.slice(0, count * readPerSuggestion) ?? []
  try {
    const of = { commitSha: analysis.commitSha, snapshotId }
    return await readMaterial(ctx, project, of, materialForCandidates(best), readTimeoutMs)
  } catch (error) {
    if (error instanceof RunFailure) throw noSuchSnapshot()
    if (!(error instanceof RepositoryError) || error.code === 'cancelled') throw error
    ctx.log.warn({ code: error.code, reason: error.message, projectId: project.id }, 'failed to read the source')
    return { ...nothing, warning: `The suggestions are based on the analysis without the source: ${error.message}` }
  }
}

async function latestCommit({ db }: Context, projectId: string): Promise<string | null | undefined> {
  const latest = await db.getRepository(AnalysisEntity).findOne({
    where: { projectId, status: 'completed', snapshotId: IsNull() },
    select: { id: true, commitSha: true },
    order: { id: 'DESC' },
  })
  return latest?.commitSha
}
