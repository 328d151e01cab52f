import { type Context, inTransaction } from '../base/context.ts'
import { lockOwnProject } from '../projects/get.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { insertVerifications, newVerification } from './create.ts'
import { presentVerification } from './present.ts'
import { requireRoomForVerifications } from './queue.ts'
import type { Verification, VerifyTest } from './schema.ts'
import { readTestToVerify } from './test-to-verify.ts'

/** Starts the verification of a test and returns its record. */
export function verifyTest(ctx: Context, input: VerifyTest): Promise<Verification> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const state = await wantedState(tx, project, input)
    const row = newVerification(tx, project, input, state, await readTestToVerify(tx, project.id, input))
    await requireRoomForVerifications(tx, project, 1)
    await insertVerifications(tx, project, [row])
    return presentVerification(ctx, row)
  })
}
