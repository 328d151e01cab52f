import { And, In, IsNull, LessThan, Like, MoreThan, MoreThanOrEqual, Not, Raw } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { ofWholeBranch } from '../coverage/whole-runs.ts'
import { endingRecords, waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject, type OwnProject } from '../projects/get.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { hasEnded, presentRun, presentRunDetail, presentStatus } from './present.ts'
import { placeInQueue } from './queue.ts'
import type { GetRun, ListRuns, RunsPage, RunStatus, TestRunDetail } from './schema.ts'

const unendedRuns = endingRecords('test_runs', ['PENDING', 'RUNNING'])

/** Answers the same for a run of another user and for a run that does not exist. */
export async function getOwnRun(
  ctx: Context,
  runId: string,
  minRole: Role,
): Promise<{ run: TestRunRow; project: OwnProject }> {
  const run = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
  const project = run && (await findOwnProject(ctx, run.projectId))
  if (!project) {
    throw notFound('test run', 'testRuns.list lists the runs of a project.', procedureHint('testRuns.list'))
  }
  requireRole(project.role, minRole)
  return { run, project }
}

/** Returns a run. With `waitSeconds`, waits until the run has ended. */
export async function getRun(ctx: Context, input: GetRun): Promise<TestRunDetail> {
  const { project } = await getOwnRun(ctx, input.runId, 'viewer')
  const row = await waitForRun(ctx, input.runId, input.waitSeconds * 1_000)
  return presentRunDetail(ctx, row, await placeInQueue(ctx, row, project))
}

export async function getRunStatus(ctx: Context, runId: string): Promise<RunStatus> {
  const { run, project } = await getOwnRun(ctx, runId, 'viewer')
  return presentStatus(ctx, run, await placeInQueue(ctx, run, project))
}

/** Lists the runs of a project, newest first. */
export async function listRuns(ctx: Context, input: ListRuns): Promise<RunsPage> {
  const { limit, offset, branch, snapshotId, source, commitSha } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(TestRunEntity).findAndCount({
    where: {
      projectId: project.id,
      ...(branch === undefined ? {} : { branch }),
      ...(snapshotId === undefined ? {} : { snapshotId: snapshotId ?? IsNull() }),
      ...(source === undefined ? {} : { source }),
      ...(commitSha === undefined ? {} : { commitSha: Like(`${commitSha}%`) }),
      ...(input.whole ? { id: Raw(() => ofWholeBranch) } : {}),
      ...(input.measured ? { coverage: Not(IsNull()) } : {}),
      ...createdWithin(input),
      ...ofStatus(input.status),
    },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  const runs = await Promise.all(rows.map(async (row) => presentRun(ctx, row, await placeInQueue(ctx, row, project))))
  return { runs, pagination: { total, limit, offset } }
}

function createdWithin({ since, until }: Pick<ListRuns, 'since' | 'until'>) {
  const limits = [
    ...(since === undefined ? [] : [MoreThanOrEqual(new Date(since))]),
    ...(until === undefined ? [] : [LessThan(new Date(until))]),
  ]
  return limits.length === 0 ? {} : { createdAt: And(...limits) }
}

/** Filters by the reported status: a record with the status `FAILED` is reported as `ERROR`. */
function ofStatus(status: ListRuns['status']) {
  switch (status) {
    case undefined:
      return {}
    case 'PASSED':
      return { status: 'COMPLETED' as const, failedTests: 0 }
    case 'FAILED':
      return { status: 'COMPLETED' as const, failedTests: MoreThan(0) }
    case 'ERROR':
      return { status: 'FAILED' as const }
    default:
      return { status: In([status]) }
  }
}

/** Returns the run as soon as it has ended, or when the time is up, the caller disconnects or the program stops. */
export function waitForRun(ctx: Context, runId: string, milliseconds: number): Promise<TestRunRow> {
  const load = async () => {
    const row = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
    if (!row) throw notFound('test run')
    return row
  }
  return waitForEnd(ctx, { records: unendedRuns, id: runId, milliseconds, load, hasEnded })
}
