import { type Context, inTransaction } from '../base/context.ts'
import { AppError, conflict, invalid, invalidField, notFound, procedureHint } from '../base/errors.ts'
import { findPullRequest, type PullRequest } from '../code-host-connections/pull-request.ts'
import { getOwnProject, type OwnProject } from '../projects/get.ts'
import { remoteCommit } from '../projects/repository.ts'
import { headOf, requireBase } from '../snapshots/references.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { openGate, type WantedGate } from '../test-runs/request-gate.ts'
import { GateEntity } from './entity.ts'
import { getGate } from './get.ts'
import type { CheckGate, Gate } from './schema.ts'

const maxPendingOfProject = 1_000

/**
 * Returns the gate of a commit, branch, pull request or snapshot, with a decision that knows everything by now, if it can
 * be reached within `waitSeconds`. Creates it if there is none.
 */
export async function checkGate(ctx: Context, input: CheckGate): Promise<Gate> {
  const { base, head, pullRequest, snapshotId } = input
  if (base !== undefined) requireBase(base)
  if ([head, pullRequest, snapshotId].filter((given) => given !== undefined).length > 1) {
    throw invalid('head, pullRequest and snapshotId: send at most one of them.')
  }
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const wanted =
    pullRequest === undefined
      ? await wantedGate(ctx, project, input)
      : await gateOfPullRequest(ctx, project, pullRequest, base)
  const gateId = await inTransaction(ctx, async (tx) => {
    await requireRoom(tx, project)
    return openGate(tx, wanted, { evenIfOff: true })
  })
  if (gateId === null) throw notFound('gate')
  return getGate(ctx, { gateId, waitSeconds: input.waitSeconds })
}

async function wantedGate(
  ctx: Context,
  project: OwnProject,
  { head, snapshotId, base }: CheckGate,
): Promise<WantedGate> {
  const named = head === undefined ? {} : headOf(head)
  const state = await wantedState(ctx, project, { ...named, snapshotId })
  const commitSha =
    state.snapshotId === null ? (state.commitSha ?? (await latestCommit(ctx, project, state.branch))) : null
  return {
    projectId: project.id,
    commitSha,
    snapshotId: state.snapshotId,
    branch: state.branch ?? (commitSha === null ? null : await branchOf(ctx, project.id, commitSha)),
    pullRequest: null,
    base: base ?? project.branch,
  }
}

/** The branch of a commit that runs or uploads name, the latest first. */
async function branchOf({ db }: Context, projectId: string, commitSha: string): Promise<string | null> {
  const [run] = await db.query<{ branch: string }[]>(
    `SELECT branch FROM test_runs WHERE project_id = $1 AND commit_sha = $2 AND branch IS NOT NULL ORDER BY id DESC LIMIT 1`,
    [projectId, commitSha],
  )
  return run?.branch ?? null
}

async function latestCommit(ctx: Context, project: OwnProject, branch: string | null): Promise<string> {
  const commit = await remoteCommit(ctx, project, branch)
  if (commit !== undefined) return commit
  throw invalidField('head', `the repository has no branch ${branch ?? project.branch}, or it cannot be read`)
}

/** The head of a pull request: as the code host says, or else the latest that Assay heard of. */
async function gateOfPullRequest(
  ctx: Context,
  project: OwnProject,
  pullRequest: number,
  base: string | undefined,
): Promise<WantedGate> {
  const found = await askCodeHost(ctx, project, pullRequest)
  if (found) {
    const { headSha: commitSha, headBranch: branch, baseBranch } = found
    return { projectId: project.id, commitSha, snapshotId: null, branch, pullRequest, base: base ?? baseBranch }
  }
  const [gate] = await ctx.db.getRepository(GateEntity).find({
    where: { projectId: project.id, pullRequest },
    order: { id: 'DESC' },
    take: 1,
  })
  if (!gate) {
    throw notFound(
      'gate',
      `Assay has heard nothing of pull request ${pullRequest}, and cannot find it at the code host. Its webhook or an upload with \`pullRequest\` creates a gate; or name the branch as \`head\`.`,
      procedureHint('gate.list'),
    )
  }
  const { headSha: commitSha, branch } = gate
  return { projectId: project.id, commitSha, snapshotId: null, branch, pullRequest, base: base ?? gate.base }
}

/** A project without access to the code host may know its pull requests from uploads. */
async function askCodeHost(ctx: Context, project: OwnProject, pullRequest: number): Promise<PullRequest | undefined> {
  try {
    return await findPullRequest(ctx, project, pullRequest)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.log.info({ code: error.code, reason: error.message }, 'cannot ask the code host about a pull request')
    return undefined
  }
}

/** All projects share the queue. */
async function requireRoom(tx: Context, { id }: OwnProject): Promise<void> {
  const [{ waiting }] = await tx.db.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM gates WHERE project_id = $1 AND state = 'pending'`,
    [id],
  )
  if (waiting < maxPendingOfProject) return
  throw conflict(
    `This project has ${waiting} gates that wait for results, which is the maximum. Each ends at its deadline; try again later.`,
    procedureHint('gate.list'),
  )
}
