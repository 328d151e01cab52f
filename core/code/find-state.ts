import type { Context } from '../base/context.ts'
import { conflict, invalidField, notFound, procedureHint } from '../base/errors.ts'
import { findAnalyzed } from '../analysis/get.ts'
import { lastMeasuringRunOf } from '../coverage/of-file.ts'
import type { OwnProject } from '../projects/get.ts'
import { acceptBranch, remoteCommit } from '../projects/repository.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { getOwnRun } from '../test-runs/get.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import type { CodeState } from './read-source.ts'
import type { GetFile } from './schema.ts'

/** A state of a project, and the run that the caller named. */
export interface NamedState extends CodeState {
  branch: string
  run: TestRunRow | null
}

type Named = Pick<GetFile, 'commitSha' | 'branch' | 'snapshotId' | 'runId'>

/**
 * Finds the commit that a call is about: that of a run, a snapshot or a commit, or else that of the latest run with coverage
 * on the branch, of the latest analysis of the branch, or the latest commit of the branch.
 */
export async function findState(ctx: Context, project: OwnProject, named: Named): Promise<NamedState> {
  const { runId, commitSha, snapshotId } = named
  if (runId !== undefined) return stateOfRun(ctx, project, runId)
  const { branch } = project
  if (snapshotId !== undefined || commitSha !== undefined) {
    const state = await wantedState(ctx, project, { commitSha, snapshotId })
    if (state.commitSha !== null) return { ...state, commitSha: state.commitSha, branch, run: null }
  }
  return stateOfBranch(ctx, project, named.branch === undefined ? branch : acceptBranch(named.branch))
}

async function stateOfRun(ctx: Context, project: OwnProject, runId: string): Promise<NamedState> {
  const { run } = await getOwnRun(ctx, runId, 'viewer')
  if (run.projectId !== project.id) {
    throw notFound('test run', 'testRuns.list lists the runs of a project.', procedureHint('testRuns.list'))
  }
  if (run.commitSha === null) throw invalidField('runId', 'is a run without a commit. Give commitSha instead.')
  return { commitSha: run.commitSha, snapshotId: run.snapshotId, branch: run.branch ?? project.branch, run }
}

async function stateOfBranch(ctx: Context, project: OwnProject, branch: string): Promise<NamedState> {
  const [measured, analyzed] = await Promise.all([
    lastMeasuringRunOf(ctx, project.id, branch),
    findAnalyzed(ctx, project.id, { branch }),
  ])
  const commitSha = measured?.commit_sha ?? analyzed?.commitSha ?? (await remoteCommit(ctx, project, branch))
  if (commitSha !== undefined) return { commitSha, snapshotId: null, branch, run: null }
  throw conflict(
    `Assay cannot find the latest commit of ${JSON.stringify(branch)}. Check that the repository has the branch and that the project can read it.`,
  )
}
