import { isValidBranchName } from '../../engines/source/url.ts'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { invalidField } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { pending } from '../verdicts/record.ts'
import { ChangeEntity, type ChangeRow } from './entity.ts'
import { headOf, requireBase } from '../snapshots/references.ts'
import { presentChange } from './present.ts'
import { changeQueue, requireRoomForChange } from './queue.ts'
import type { Change, VerifyChange } from './schema.ts'

/** Starts the verification of a change and returns its record. */
export function verifyChange(ctx: Context, input: VerifyChange): Promise<Change> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const row = await newChange(tx, project, input)
    await requireRoomForChange(tx, project)
    await tx.db.getRepository(ChangeEntity).insert(row)
    await tx.jobs.enqueue(tx.db, changeQueue, { changeId: row.id }, { group: ownerOf(project) })
    return presentChange(ctx, row)
  })
}

async function newChange(ctx: Context, project: OwnProject, input: VerifyChange): Promise<ChangeRow> {
  const { base = null, head, snapshotId, expect, repeats, mutants, budgetSeconds, again } = input
  if (base !== null) requireBase(base)
  if (snapshotId !== undefined && head !== undefined) {
    throw invalidField('snapshotId', 'cannot be combined with head. Send one of them.')
  }
  const named = head === undefined ? {} : headOf(head)
  if (named.branch !== undefined && !isValidBranchName(named.branch)) {
    throw invalidField('head', 'must be the name of a branch or a full commit id')
  }
  const state = await wantedState(ctx, project, { ...named, snapshotId })
  return {
    ...pending,
    id: newId(ctx.now()),
    projectId: project.id,
    userId: requireUser(ctx).userId,
    tokenId: tokenIdOf(ctx),
    base,
    baseSha: null,
    head: state.snapshotId === null ? (head ?? project.branch) : null,
    headSha: state.commitSha,
    snapshotId: state.snapshotId,
    intent: expect,
    repeats,
    mutants,
    budgetSeconds,
    again,
    createdAt: ctx.now(),
  }
}
