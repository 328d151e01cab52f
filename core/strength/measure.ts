import { parseBaseReference } from '../../engines/source/base-reference.ts'
import { requireLocalReference } from '../../engines/source/local-reference.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { codeAmong } from '../../engines/strength/code-among.ts'
import { kindOfFile } from '../../engines/verdicts/change/changed-files.ts'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { invalidField } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { getOwnProject, lockOwnProject, type OwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { pending } from '../verdicts/record.ts'
import { askProjectRepository } from '../workspaces/project-commit.ts'
import { MeasurementEntity, type MeasurementRow } from './entity.ts'
import { presentMeasurement } from './present.ts'
import { requireRoomForMeasurement, strengthQueue } from './queue.ts'
import type { MeasureStrength, Measurement } from './schema.ts'

/** Starts a measurement and returns its record. */
export async function measureStrength(ctx: Context, input: MeasureStrength): Promise<Measurement> {
  const { since } = input
  if (since !== undefined) await requireKnown(ctx, await getOwnProject(ctx, input.projectId, 'member'), input, since)
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const row = await newMeasurement(tx, project, input)
    await requireRoomForMeasurement(tx, project)
    await tx.db.getRepository(MeasurementEntity).insert(row)
    await tx.jobs.enqueue(tx.db, strengthQueue, { measurementId: row.id }, { group: ownerOf(project) })
    return presentMeasurement(ctx, row)
  })
}

async function newMeasurement(ctx: Context, project: OwnProject, input: MeasureStrength): Promise<MeasurementRow> {
  const { paths = [], since = null, budgetSeconds, again } = input
  requireNoTests(paths)
  return {
    ...pending,
    ...(await wantedState(ctx, project, input)),
    id: newId(ctx.now()),
    projectId: project.id,
    userId: requireUser(ctx).userId,
    tokenId: tokenIdOf(ctx),
    paths,
    since,
    budgetSeconds,
    again,
    createdAt: ctx.now(),
  }
}

/** Rejects names of test files alone. What folders and globs contain is known when the code was fetched. */
function requireNoTests(paths: readonly string[]): void {
  if (paths.length === 0 || !paths.every((path) => kindOfFile(path) === 'test')) return
  throw invalidField('paths', codeAmong(paths).problem ?? '')
}

const lookUpMs = 5_000

/** Rejects a reference that a repository on this machine does not have. Others are asked when they are fetched. */
async function requireKnown(ctx: Context, project: OwnProject, input: MeasureStrength, since: string): Promise<void> {
  requireReference(since)
  const { branch = project.branch, commitSha, snapshotId } = input
  const commit = snapshotId === undefined ? (commitSha === undefined ? { branch } : { commitSha }) : null
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(lookUpMs)])
  try {
    await askProjectRepository({ ...ctx, signal }, project, (source) =>
      requireLocalReference(source, { reference: since, commit }, signal),
    )
  } catch (error) {
    ctx.signal.throwIfAborted()
    if (!signal.aborted && !(error instanceof RepositoryError)) throw error
    // The measurement says what else is wrong with the repository.
    if (error instanceof RepositoryError && error.code === 'reference_not_found') {
      throw invalidField('since', error.message)
    }
  }
}

function requireReference(since: string): void {
  try {
    parseBaseReference(since)
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error
    throw invalidField('since', 'must be the name of a branch, a tag or a commit, such as main or HEAD~1')
  }
}
