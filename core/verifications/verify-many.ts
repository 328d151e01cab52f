import { type Context, inTransaction } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { verificationsUrl } from '../base/page-urls.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { type WantedState, wantedState } from '../snapshots/wanted-state.ts'
import { insertVerifications, newVerification } from './create.ts'
import type { VerificationRow } from './entity.ts'
import { presentSummary } from './present.ts'
import { requireRoomForVerifications } from './queue.ts'
import type { VerificationBatch, VerifyTests } from './schema.ts'
import { readTestToVerify } from './test-to-verify.ts'

/**
 * Starts the verification of several tests. An invalid test gets a failed record and does not affect the others.
 */
export function verifyTests(ctx: Context, input: VerifyTests): Promise<VerificationBatch> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const state = await wantedState(tx, project, input)
    const batchId = newId(tx.now())
    const rows: VerificationRow[] = []
    for (const index of input.tests.keys())
      rows.push({ ...(await recordOf(tx, project, input, state, index)), batchId })
    await requireRoomForVerifications(tx, project, rows.filter(({ status }) => status === 'pending').length)
    await insertVerifications(tx, project, rows)
    const url = verificationsUrl(ctx, project.id)
    return { batchId, url, verifications: rows.map((row) => presentSummary(ctx, row)) }
  })
}

async function recordOf(
  tx: Context,
  project: OwnProject,
  input: VerifyTests,
  state: WantedState,
  index: number,
): Promise<VerificationRow> {
  const test = input.tests[index] ?? {}
  try {
    return newVerification(tx, project, input, state, await readTestToVerify(tx, project.id, test))
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'VALIDATION_ERROR' && error.code !== 'NOT_FOUND')) throw error
    // A test without a path is identified by its index in the call.
    const sent = { filePath: storable(test.filePath ?? `tests.${index}`), code: storable(test.code), target: null }
    const row = newVerification(tx, project, input, state, { ...sent, generatedTestId: null, suggestionId: null })
    return { ...row, status: 'failed', error: { code: 'invalid', message: error.message }, completedAt: row.createdAt }
  }
}

/** Replaces characters that Postgres cannot store. */
const storable = (text = '') => text.replaceAll('\0', '\ufffd').toWellFormed()
