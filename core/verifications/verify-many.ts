import { type Context, inTransaction } from '../base/context.ts'
import { AppError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { insertVerifications, newVerification } from './create.ts'
import type { VerificationRow } from './entity.ts'
import { presentSummary } from './present.ts'
import { requireRoomForVerifications } from './queue.ts'
import type { VerificationBatch, VerifyTests } from './schema.ts'
import { readTestToVerify } from './test-to-verify.ts'

/**
 * Asks for a verdict on each of several tests. One that cannot be verified at all has a record too, which has failed,
 * and keeps none of the others from it.
 */
export function verifyTests(ctx: Context, input: VerifyTests): Promise<VerificationBatch> {
  return inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, input.projectId, 'member')
    const batchId = newId(tx.now())
    const rows: VerificationRow[] = []
    for (const index of input.tests.keys()) rows.push({ ...(await recordOf(tx, project, input, index)), batchId })
    await requireRoomForVerifications(tx, project, rows.filter(({ status }) => status === 'pending').length)
    await insertVerifications(tx, project, rows)
    return { batchId, verifications: rows.map(presentSummary) }
  })
}

async function recordOf(tx: Context, project: OwnProject, input: VerifyTests, index: number): Promise<VerificationRow> {
  const test = input.tests[index] ?? {}
  try {
    return newVerification(tx, project, input, await readTestToVerify(tx, project.id, test))
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== 'VALIDATION_ERROR' && error.code !== 'NOT_FOUND')) throw error
    // What has no path is told by its place in the call.
    const told = { filePath: storable(test.filePath ?? `tests.${index}`), code: storable(test.code), target: null }
    const row = newVerification(tx, project, input, { ...told, generatedTestId: null, suggestionId: null })
    return { ...row, status: 'failed', error: { code: 'invalid', message: error.message }, completedAt: row.createdAt }
  }
}

/** What was sent, as far as the database can hold it. */
const storable = (text = '') => text.replaceAll('\0', '\ufffd').toWellFormed()
