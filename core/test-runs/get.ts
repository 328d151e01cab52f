import { In, MoreThan } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { waitForEnd } from '../jobs/wait-for-end.ts'
import { requireRole } from '../identity/organizations/roles.ts'
import type { Role } from '../identity/organizations/schema.ts'
import { findOwnProject, getOwnProject, type OwnProject } from '../projects/get.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { hasEnded, presentRun, presentRunDetail, presentStatus } from './present.ts'
import { placeInQueue } from './queue.ts'
import type { GetRun, ListRuns, RunsPage, RunStatus, TestRunDetail } from './schema.ts'

/** Somebody else's run is as absent as one that never was. */
export async function getOwnRun(
  ctx: Context,
  runId: string,
  least: Role,
): Promise<{ run: TestRunRow; project: OwnProject }> {
  const run = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
  const project = run && (await findOwnProject(ctx, run.projectId))
  if (!project) throw notFound('test run', 'testRuns.list lists those of a project.', procedureHint('testRuns.list'))
  requireRole(project.role, least)
  return { run, project }
}

/** One run; on request waits until it has ended. */
export async function getRun(ctx: Context, input: GetRun): Promise<TestRunDetail> {
  const { project } = await getOwnRun(ctx, input.runId, 'viewer')
  const row = await waitForRun(ctx, input.runId, input.waitSeconds * 1_000)
  return presentRunDetail(row, await placeInQueue(ctx, row, project))
}

export async function getRunStatus(ctx: Context, runId: string): Promise<RunStatus> {
  const { run, project } = await getOwnRun(ctx, runId, 'viewer')
  return presentStatus(run, await placeInQueue(ctx, run, project))
}

/** The project's runs, newest first. */
export async function listRuns(ctx: Context, input: ListRuns): Promise<RunsPage> {
  const { limit, offset, branch } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const [rows, total] = await ctx.db.getRepository(TestRunEntity).findAndCount({
    where: { projectId: project.id, ...(branch === undefined ? {} : { branch }), ...ofStatus(input.status) },
    order: { id: 'DESC' },
    take: limit,
    skip: offset,
  })
  const runs = await Promise.all(rows.map(async (row) => presentRun(row, await placeInQueue(ctx, row, project))))
  return { runs, pagination: { total, limit, offset } }
}

/** A record's `FAILED` is a reported `ERROR`, and a reported `FAILED` a record that is completed: the reported one is meant. */
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

/** Answers as soon as the run has ended, at the latest when the time is up, the caller has left or the program stops. */
export function waitForRun(ctx: Context, runId: string, milliseconds: number): Promise<TestRunRow> {
  const load = async () => {
    const row = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
    if (!row) throw notFound('test run')
    return row
  }
  return waitForEnd(ctx, milliseconds, load, hasEnded)
}
