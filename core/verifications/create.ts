import { type Caller, type Context, requireUser, tokenIdOf } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import { isAtLeast } from '../identity/organizations/roles.ts'
import type { OwnProject } from '../projects/get.ts'
import { ownerOf } from '../projects/owner.ts'
import { VerificationEntity, type VerificationRow } from './entity.ts'
import type { WantedState } from '../snapshots/wanted-state.ts'
import { pending } from '../verdicts/record.ts'
import { verificationQueue } from './queue.ts'
import type { VerifyTest } from './schema.ts'
import type { TestToVerify } from './test-to-verify.ts'

type HowToVerify = Pick<VerifyTest, 'repeats' | 'mutants' | 'budgetSeconds' | 'again'>

/** Returns the record of a new verification by the caller. */
export function newVerification(
  ctx: Context,
  project: OwnProject,
  { repeats, mutants, budgetSeconds, again }: HowToVerify,
  state: WantedState,
  test: TestToVerify,
) {
  const caller = requireUser(ctx)
  return {
    ...pending,
    ...test,
    id: newId(ctx.now()),
    projectId: project.id,
    userId: caller.userId,
    tokenId: tokenIdOf(ctx),
    batchId: null,
    ...state,
    repeats,
    mutants,
    budgetSeconds,
    again,
    withSecrets: maySeeSecrets(caller, project),
    createdAt: ctx.now(),
  } satisfies VerificationRow
}

/** A test can print or send the project's environment. Only callers who may set the test command may expose it. */
const maySeeSecrets = (caller: Caller, { role }: OwnProject) =>
  isAtLeast(role, 'admin') && (caller.kind === 'user' || caller.scopes.includes('projects:write'))

/** Stores the records and adds the pending ones to the queue. The caller has locked the project's row. */
export async function insertVerifications(tx: Context, project: OwnProject, rows: VerificationRow[]): Promise<void> {
  await tx.db.getRepository(VerificationEntity).insert(rows)
  for (const { id, status } of rows) {
    if (status !== 'pending') continue
    await tx.jobs.enqueue(tx.db, verificationQueue, { verificationId: id }, { group: ownerOf(project) })
  }
}
