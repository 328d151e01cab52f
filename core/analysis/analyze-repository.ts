import { type Context, inTransaction } from '../base/context.ts'
import { conflict, internal, invalid, procedureHint, timeout } from '../base/errors.ts'
import { lastMeasuredAt } from '../coverage/measured.ts'
import { getOwnProject } from '../projects/get.ts'
import { remoteCommit } from '../projects/repository.ts'
import { type StateInput, wantedState } from '../snapshots/wanted-state.ts'
import { type AnalyzedCommit, findAnalyzed, loadResult, waitForAnalysis, waitForRanking } from './get.ts'
import { isRankedBefore, requestRanking } from './rank-anew.ts'
import { rankScope } from './rank-scope.ts'
import type { StartAnalysis } from './schema.ts'
import type { AnalysisResult, AnalysisScope } from '../../engines/analysis/schema.ts'
import { requireRepositoryOf, startAnalysis } from './start.ts'

const maxWaitMs = 180_000
/** A new ranking takes seconds, and callers that do not wait for a first analysis still want the newest coverage. */
const minRankingMs = 10_000

/** What callers want to know of a project's analysis. */
export interface ResultWanted {
  projectId: string
  waitSeconds: number
  /** Instead of the latest analyzed commit of the repository: a branch, a commit, or a snapshot. */
  branch?: string | undefined
  commitSha?: string | undefined
  snapshotId?: string | undefined
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

/**
 * Returns the analysis of the snapshot or commit that the input names, or of the current commit of its branch, if there
 * is one. Else
 * analyzes the repository.
 *
 * @throws AppError 409 with the hint `analysis_running` if that takes longer than `waitSeconds`; 504 without it, after 3
 *   minutes
 */
export async function analyzeCommit(ctx: Context, input: StartAnalysis, waitSeconds?: number): Promise<AnalyzedCommit> {
  const { projectId, branch, snapshotId } = input
  const project = await getOwnProject(ctx, projectId, 'member')
  requireRepositoryOf(project, input)
  const wanted = await wantedState(ctx, project, input)
  const commitSha = wanted.commitSha ?? (await remoteCommit(ctx, project, wanted.branch))
  const of = snapshotId === undefined ? commitSha && { commitSha } : { snapshotId }
  const known = of ? await findAnalyzed(ctx, projectId, of) : undefined
  if (!known) return startAndWait(ctx, input, waitSeconds)
  return { ...known, branch: branch ?? known.branch }
}

async function startAndWait(ctx: Context, input: StartAnalysis, waitSeconds?: number): Promise<AnalyzedCommit> {
  const { id } = await startAnalysis(ctx, input)
  const analyzed = await waitForCompletion(ctx, id, waitSeconds === undefined ? maxWaitMs : waitSeconds * 1_000)
  if (analyzed) return analyzed
  if (waitSeconds !== undefined) throw stillRunning(id)
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

/** Whether the input names what to analyze. Otherwise the latest analysis of the repository counts. */
export const namesState = ({ branch, commitSha, snapshotId }: StateInput): boolean =>
  (branch ?? commitSha ?? snapshotId) !== undefined

/**
 * Returns the result of the latest completed analysis of the repository, or of the commit or snapshot that the caller
 * names, limited to the scope. Analyzes the project, commit or snapshot first if it has no analysis.
 *
 * @throws AppError 409 with the hint `analysis_running` if that takes longer than `waitSeconds`
 */
export async function requireResult(
  ctx: Context,
  { projectId, waitSeconds, scope, ...state }: ResultWanted,
): Promise<AnalysisResult> {
  const project = await getOwnProject(ctx, projectId, 'viewer')
  const analyzed = namesState(state)
    ? await analyzeCommit(ctx, { projectId, ...state }, waitSeconds)
    : await requireAnalyzed(ctx, { projectId, waitSeconds })
  if (scope) return rankScope(ctx, project, analyzed, scope)
  if (state.snapshotId !== undefined) await renewRanking(ctx, analyzed, projectId, state.snapshotId)
  await waitForRanking(ctx, analyzed.id, Math.max(minRankingMs, waitSeconds * 1_000))
  return requireStored(ctx, analyzed.id)
}

/** New coverage of the repository renews only its own analysis, because most analyses of snapshots are used once. */
async function renewRanking(ctx: Context, { id }: AnalyzedCommit, projectId: string, snapshotId: string) {
  const measuredAt = await lastMeasuredAt(ctx, projectId, snapshotId)
  if (measuredAt === null || !(await isRankedBefore(ctx, id, measuredAt))) return
  await inTransaction(ctx, (tx) => requestRanking(tx, projectId, snapshotId))
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
  throw stillRunning(id)
}

const stillRunning = (analysisId: string) =>
  conflict(`The analysis ${analysisId} is still running. Repeat the call to wait for it.`, {
    hint: { kind: 'analysis_running', analysisId },
  })

/** Returns undefined if the analysis has not ended in time. */
async function waitForCompletion(
  ctx: Context,
  analysisId: string,
  milliseconds: number,
): Promise<AnalyzedCommit | undefined> {
  const { status, error, commitSha, branch, snapshotId } = await waitForAnalysis(ctx, analysisId, milliseconds)
  if (status === 'failed') {
    throw invalid(`Assay could not analyze the repository: ${error?.message ?? 'no reason was recorded'}`)
  }
  return status === 'completed' && commitSha !== null ? { id: analysisId, commitSha, branch, snapshotId } : undefined
}

async function requireStored(ctx: Context, analysisId: string): Promise<AnalysisResult> {
  const result = await loadResult(ctx, analysisId)
  if (!result) throw internal(`The analysis ${analysisId} is completed but has no result.`)
  return result
}
