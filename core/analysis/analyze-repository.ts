import type { Context } from '../base/context.ts'
import { conflict, internal, invalid, procedureHint, timeout } from '../base/errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { type AnalyzedCommit, findAnalyzed, loadResult, waitForAnalysis, waitForRanking } from './get.ts'
import { rankScope } from './rank-scope.ts'
import type { StartAnalysis } from './schema.ts'
import type { AnalysisResult, AnalysisScope } from '../../engines/analysis/schema.ts'
import { startAnalysis } from './start.ts'

const maxWaitMs = 180_000
/** A new ranking takes seconds, and callers that do not wait for a first analysis still want the newest coverage. */
const minRankingMs = 10_000

/** What callers want to know of a project's analysis. */
export interface ResultWanted {
  projectId: string
  waitSeconds: number
  scope?: AnalysisScope | undefined
}

/**
 * Analyzes the repository and returns the result, limited to the scope. The analysis continues if the caller stops
 * waiting. A scope alone does not cause a second analysis of a commit.
 */
export async function analyzeRepository(ctx: Context, input: StartAnalysis & AnalysisScope): Promise<AnalysisResult> {
  const scope = scopeOf(input)
  if (!scope) return requireStored(ctx, (await startAndWait(ctx, input)).id)
  return rankScope(ctx, await getOwnProject(ctx, input.projectId, 'member'), await analyzeCommit(ctx, input), scope)
}

/** Returns the analysis of the commit if the input names one that is analyzed, else analyzes the repository. */
export async function analyzeCommit(ctx: Context, input: StartAnalysis): Promise<AnalyzedCommit> {
  const { projectId, commitSha } = input
  await getOwnProject(ctx, projectId, 'member')
  const known = commitSha === undefined ? undefined : await findAnalyzed(ctx, projectId, commitSha)
  return known ?? startAndWait(ctx, input)
}

async function startAndWait(ctx: Context, input: StartAnalysis): Promise<AnalyzedCommit> {
  const { id } = await startAnalysis(ctx, input)
  const analyzed = await waitForCompletion(ctx, id, maxWaitMs)
  if (analyzed) return analyzed
  throw timeout(
    `The analysis continues. Get it with analysis.getAnalysis and analysisId ${id}.`,
    procedureHint('analysis.getAnalysis'),
  )
}

/** Returns the scope that the fields of an input name; undefined if they name none. */
export function scopeOf({ paths, since, symbols }: AnalysisScope): AnalysisScope | undefined {
  if (paths === undefined && since === undefined && symbols === undefined) return undefined
  return { ...(paths && { paths }), ...(since !== undefined && { since }), ...(symbols && { symbols }) }
}

/**
 * Returns the result of the latest completed analysis, limited to the scope. Analyzes the project first if it has no
 * analysis.
 *
 * @throws AppError 409 with the hint `analysis_running` if that takes longer than `waitSeconds`
 */
export async function requireResult(
  ctx: Context,
  { projectId, waitSeconds, scope }: ResultWanted,
): Promise<AnalysisResult> {
  const project = await getOwnProject(ctx, projectId, 'viewer')
  const analyzed = await requireAnalyzed(ctx, { projectId, waitSeconds })
  if (scope) return rankScope(ctx, project, analyzed, scope)
  await waitForRanking(ctx, projectId, Math.max(minRankingMs, waitSeconds * 1_000))
  return requireStored(ctx, analyzed.id)
}

/** Returns the latest completed analysis like `requireResult`, without its result. */
export async function requireAnalyzed(
  ctx: Context,
  { projectId, waitSeconds }: Pick<ResultWanted, 'projectId' | 'waitSeconds'>,
): Promise<AnalyzedCommit> {
  const latest = await findAnalyzed(ctx, projectId)
  if (latest) return latest
  const { id } = await startAnalysis(ctx, { projectId })
  const analyzed = await waitForCompletion(ctx, id, waitSeconds * 1_000)
  if (analyzed) return analyzed
  throw conflict(`The first analysis of this project, ${id}, is still running. Repeat the call to wait for it.`, {
    hint: { kind: 'analysis_running', analysisId: id },
  })
}

/** Returns undefined if the analysis has not ended in time. */
async function waitForCompletion(
  ctx: Context,
  analysisId: string,
  milliseconds: number,
): Promise<AnalyzedCommit | undefined> {
  const { status, error, commitSha, branch } = await waitForAnalysis(ctx, analysisId, milliseconds)
  if (status === 'failed') {
    throw invalid(`Assay could not analyze the repository: ${error?.message ?? 'no reason was recorded'}`)
  }
  return status === 'completed' && commitSha !== null ? { id: analysisId, commitSha, branch } : undefined
}

async function requireStored(ctx: Context, analysisId: string): Promise<AnalysisResult> {
  const result = await loadResult(ctx, analysisId)
  if (!result) throw internal(`The analysis ${analysisId} is completed but has no result.`)
  return result
}
