import { parseBranches } from '../../engines/coverage/branch-text.ts'
import { storedContentIds } from '../../engines/source/stored-files.ts'
import type { Context } from '../base/context.ts'
import { coverageOfFile, type MeasuringRow, runsMeasuring } from '../coverage/of-file.ts'
import { isWhole } from '../coverage/whole-runs.ts'
import { takeTurn } from '../http/take-turn.ts'
import { getOwnProject, type OwnProject } from '../projects/get.ts'
import { findState, type NamedState } from './find-state.ts'
import { findRanking, recentAnalyses } from './ranking.ts'
import { readFile } from './read-file.ts'
import { readSource } from './read-source.ts'
import type { CodeFile, GetFile, MeasuringRun } from './schema.ts'
import { findStrength } from './strength.ts'

const reachedByReason =
  'No measurement of strength has recorded which tests run the lines of this content of the file. Start one with strength.measure.'

/** Returns everything that is known of a file of a commit, except its text. */
export async function getFile(ctx: Context, input: GetFile): Promise<CodeFile> {
  const { path } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const state = await findState(ctx, project, input)
  const { contentId, bytes, text } = await readFile(ctx, project, state, path)
  const { runs, other, analyses } = await takeTurn(ctx, 'scan', (ctx) => loadRuns(ctx, project, state, path))
  const contentOf = await contentsOf(ctx, project, state, path, [
    ...other.map((run) => run.commit_sha),
    ...analyses.map((analysis) => analysis.commitSha),
  ])
  const isSame = (commitSha: string) => contentOf.get(commitSha) === contentId
  const sameContent = runs.length > 0 ? runs : other.filter(({ commit_sha }) => isSame(commit_sha))
  const run = runOf(state) ?? preferred(sameContent, state)
  const analysis =
    analyses.find((one) => one.commitSha === state.commitSha && one.snapshotId === state.snapshotId) ??
    analyses.find((one) => one.snapshotId === null && isSame(one.commitSha))
  const file = { projectId: project.id, snapshotId: state.snapshotId, path, contentId }
  const [coverage, ranking, strength] = await takeTurn(ctx, 'scan', (ctx) =>
    Promise.all([
      run && loadCoverage(ctx, run, path),
      analysis && findRanking(ctx, analysis, path),
      findStrength(ctx, file),
    ]),
  )
  const listed = runs.length > 0 ? runs : other
  return {
    path,
    commitSha: state.commitSha,
    snapshotId: state.snapshotId,
    language: text.language,
    bytes,
    totalLines: text.kind === 'text' ? text.totalLines : null,
    tooLarge: text.kind === 'too_large',
    isHighlighted: text.kind === 'text' && text.isHighlighted,
    coverage: coverage ?? null,
    coverageReason: coverage ? null : whyUnknown(state, other),
    runs: listed.map(presentRun),
    analysis: analysis && ranking ? { analysisId: analysis.id, commitSha: analysis.commitSha } : null,
    symbols: ranking?.symbols ?? [],
    strength: strength?.counts ?? null,
    survivors: strength?.survivors ?? [],
    reachedBy: strength?.reachedBy ?? null,
    reachedByReason: strength?.reachedBy ? null : reachedByReason,
    churn: ranking?.churn ?? null,
  }
}

/** Loads the runs that measured the file on this commit, or else on the branch, and the latest analyses. */
async function loadRuns(ctx: Context, project: OwnProject, state: NamedState, path: string) {
  const { commitSha, snapshotId, branch } = state
  const of = { projectId: project.id, path, snapshotId }
  const [runs, analyses] = await Promise.all([
    runsMeasuring(ctx, of, { commitSha }),
    recentAnalyses(ctx, project.id, state),
  ])
  const other = runs.length > 0 || state.run ? [] : await runsMeasuring(ctx, of, { branch })
  return { runs, other, analyses }
}

/** Returns the ids of the file's content in commits that are stored here. */
async function contentsOf(
  ctx: Context,
  project: OwnProject,
  state: NamedState,
  path: string,
  commits: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const different = [...new Set(commits)].filter((commitSha) => commitSha !== state.commitSha)
  if (different.length === 0) return new Map()
  const ids = await readSource(ctx, project, state, (stored) => storedContentIds(stored, different, path, ctx.signal))
  return new Map(different.map((commitSha, index) => [commitSha, ids[index]]))
}

function runOf({ run }: NamedState): MeasuringRow | undefined {
  if (run?.commitSha == null) return undefined
  const { id, createdAt, commitSha, branch } = run
  return { id, created_at: createdAt, commit_sha: commitSha, branch, is_whole: isWhole(run) }
}

/** The latest run of all tests of the branch, or else of any branch, or else the latest run; for a snapshot always that. */
function preferred(runs: readonly MeasuringRow[], state: NamedState): MeasuringRow | undefined {
  const whole = runs.filter(({ is_whole }) => is_whole && state.snapshotId === null)
  return whole.find(({ branch }) => branch === state.branch) ?? whole[0] ?? runs[0]
}

const presentRun = (run: MeasuringRow): MeasuringRun => ({
  runId: run.id,
  createdAt: run.created_at.toISOString(),
  commitSha: run.commit_sha,
  branch: run.branch,
  isWhole: run.is_whole,
})

async function loadCoverage(ctx: Context, run: MeasuringRow, path: string): Promise<CodeFile['coverage']> {
  const row = await coverageOfFile(ctx, run.id, path)
  if (!row) return null
  return {
    ...presentRun(run),
    covered: row.covered_lines,
    uncovered: row.uncovered_lines,
    branches: row.partial_branches === null ? null : parseBranches(row.partial_branches),
    lines: { covered: row.lines_covered, total: row.lines_total },
    branchShare: share(row.branches_covered, row.branches_total),
    functions: share(row.functions_covered, row.functions_total),
  }
}

const share = (covered: number | null, total: number | null) =>
  covered === null || total === null ? null : { covered, total }

function whyUnknown({ run }: NamedState, other: readonly MeasuringRow[]): string {
  if (run) return 'The run did not measure the coverage of this file.'
  return other.length === 0
    ? 'No run has measured the coverage of this file on the commit or on the branch.'
    : 'No run has measured this content of the file. `runs` lists those that measured other commits: give one as runId.'
}
