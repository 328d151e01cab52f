import { createReadStream } from 'node:fs'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { invalid, notFound } from '../base/errors.ts'
import { dropStagedFiles, stageFile } from '../files/store.ts'
import { bodyLimits } from '../http/body.ts'
import { newId } from '../base/ids.ts'
import { runUrl, type Site } from '../base/page-urls.ts'
import { parseInput } from '../base/input.ts'
import { getOwnProject, lockOwnProject, type OwnProject } from '../projects/get.ts'
import { loadProjectSettings } from '../projects/settings.ts'
import { openGate } from './request-gate.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { reportedStatus } from './present.ts'
import { ReportError } from '../../engines/reports/report.ts'
import { noteDays } from './note-days.ts'
import { completeUpload, type UploadVerdict } from './state.ts'
import { withCoverageWarning } from './warnings.ts'
import { digestOf, emptyRun, findByKey } from './trigger.ts'
import { addFilesToRun, type StoredPart } from './uploads/add-files.ts'
import { addResultsToRun } from './uploads/add-results.ts'
import { takeTurn } from '../http/take-turn.ts'
import type { ReceivedFile, ReceivedUpload } from './uploads/receive.ts'
import { type UploadedRun, UploadFields } from './uploads/schema.ts'

interface Upload {
  projectId: string
  fields: UploadFields
  files: ReceivedFile[]
  /** Identifies the upload by its fields and files. */
  digest: string
  /** Identifies the run; the same for all parts of one run. */
  runKey: string
}

/**
 * Records a run that was executed elsewhere, or a further part of it. A repeated upload changes nothing.
 *
 * @returns whether the upload was new, and the run with its results so far
 */
export async function recordUpload(
  ctx: Context,
  projectId: string,
  received: Pick<ReceivedUpload, 'fields' | 'files'>,
): Promise<{ added: boolean; run: UploadedRun }> {
  const upload = describeUpload(projectId, received)
  // It holds a database connection while its reports are read.
  return takeTurn(ctx, 'storing', async (ctx) => {
    ctx.signal.throwIfAborted()
    await getOwnProject(ctx, projectId, 'member')
    const known = await findKnown(ctx, upload)
    if (known) {
      // The first upload may have been that of the push, before there was a pull request.
      await inTransaction(ctx, async (tx) =>
        openGateFor(tx, await getOwnProject(tx, projectId, 'member'), known, upload),
      )
      return { added: false, run: presentUploaded(ctx, known) }
    }
    const { added, run } = await record(ctx, upload)
    return { added, run: presentUploaded(ctx, run) }
  })
}

function describeUpload(projectId: string, { fields: given, files }: Pick<ReceivedUpload, 'fields' | 'files'>): Upload {
  const fields = parseInput(UploadFields, given)
  if (!files.some(({ part }) => part !== 'artifacts')) {
    throw invalid('Send at least one file in the parts `reports` or `coverage`.')
  }
  const { branch, commitSha, name, variant, shardKey, root, testedSha } = fields
  if ((branch === undefined) !== (commitSha === undefined)) {
    const [missing, given] = branch === undefined ? ['branch', 'commitSha'] : ['commitSha', 'branch']
    throw invalid(`${missing}: is required together with ${given}. Omit both for code that is not committed.`)
  }
  const contents = files.map((file) => [file.part, file.name, file.sha256])
  const digest = digestOf([
    branch,
    commitSha,
    name,
    shardKey,
    root,
    contents,
    ...(variant === undefined ? [] : [variant]),
    // Not `ranAt`, which a client that tries again may compute again.
    ...(testedSha === undefined ? [] : [`tested ${testedSha}`]),
  ])
  // The space prevents a collision with the idempotency keys of callers.
  const runKey = `upload ${shardKey === undefined ? digest : digestOf([commitSha, shardKey])}`
  return { projectId, fields, files, digest, runKey }
}

async function findKnown(ctx: Context, { projectId, runKey, digest }: Upload): Promise<TestRunRow | null> {
  const run = await findByKey(ctx, projectId, runKey)
  if (!run) return null
  const uploads = await ctx.db.query<unknown[]>('SELECT FROM test_run_uploads WHERE run_id = $1 AND digest = $2', [
    run.id,
    digest,
  ])
  return uploads.length > 0 ? run : null
}

/** Stores the bytes before the transaction starts, and deletes them if the upload is not added. */
async function record(ctx: Context, upload: Upload): Promise<{ added: boolean; run: TestRunRow }> {
  const staged: StoredPart[] = []
  try {
    await stageAll(ctx, upload.files, staged)
    const recorded = await inTransaction(ctx, (tx) => addToRun(tx, upload, staged))
    if (!recorded.added) await dropStagedFiles(ctx, staged)
    return recorded
  } catch (error) {
    await dropStagedFiles(ctx, staged)
    throw error instanceof ReportError ? invalid(error.message, { cause: error }) : error
  }
}

/** @param staged - receives the stored files in order, including those stored before a failure */
async function stageAll(ctx: Context, files: readonly ReceivedFile[], staged: StoredPart[]): Promise<void> {
  const batch = 4
  for (let from = 0; from < files.length; from += batch) {
    const storing = files.slice(from, from + batch).map(async ({ part, name, contentType, path }) => {
      const stream = createReadStream(path)
      return { part, name, contentType, ...(await stageFile(ctx, { stream, maxBytes: bodyLimits.upload })) }
    })
    const outcomes = await Promise.allSettled(storing)
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') staged.push(outcome.value)
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failure) throw failure.reason
  }
}

async function addToRun(
  tx: Context,
  upload: Upload,
  staged: readonly StoredPart[],
): Promise<{ added: boolean; run: TestRunRow }> {
  const project = await lockOwnProject(tx, upload.projectId, 'member', 'KEY SHARE')
  const run = await lockRun(tx, project, upload)
  const fresh = await tx.db.query<unknown[]>(
    'INSERT INTO test_run_uploads (run_id, digest, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING digest',
    [run.id, upload.digest, tx.now()],
  )
  if (fresh.length === 0) return { added: false, run }
  const { root, variant, name = '' } = upload.fields
  const results = await addResultsToRun(tx, { run, project, variant: variant ?? name, root, files: upload.files })
  await addFilesToRun(tx, run, staged)
  const ranAt = new Date(Math.min(run.ranAt.getTime(), ranAtOf(upload.fields, tx.now()).getTime()))
  // Its health is judged again with the new time. The counts of the day that it leaves must change, too.
  if (dayOf(ranAt) !== dayOf(run.ranAt)) await noteDays(tx, [run.id])
  const settings = await loadProjectSettings(tx, project.id)
  const warnings = withCoverageWarning(results.warnings ?? [], results.coverage ?? run.coverage, settings)
  await openGateFor(tx, project, run, upload)
  return {
    added: true,
    run: await completeUpload(tx, project, run, {
      ...results,
      ranAt,
      warnings,
      ...verdictOf(upload, run, results),
    }),
  }
}

/** Opens the gate of the pull request that the upload names. */
async function openGateFor(
  tx: Context,
  project: Pick<OwnProject, 'id' | 'branch'>,
  { commitSha, branch }: Pick<TestRunRow, 'commitSha' | 'branch'>,
  { fields: { pullRequest, targetBranch = project.branch } }: Pick<Upload, 'fields'>,
): Promise<void> {
  if (pullRequest === undefined || commitSha === null) return
  await openGate(tx, { projectId: project.id, commitSha, snapshotId: null, branch, pullRequest, base: targetBranch })
}

/** A run whose reports contain no tests is `FAILED` until a further part contains some. */
function verdictOf({ files }: Upload, before: TestRunRow, { totalTests }: Partial<TestRunRow>): UploadVerdict {
  const reported = before.error !== null || files.some(({ part }) => part === 'reports')
  if (totalTests !== 0 || !reported) return { status: 'COMPLETED', error: null }
  return { status: 'FAILED', error: { code: 'no_tests', message: 'The reports contain no tests.' } }
}

/** Locks the run that the upload belongs to, and creates it for the first part. Concurrent parts wait here. */
async function lockRun(tx: Context, project: OwnProject, { fields, runKey }: Upload): Promise<TestRunRow> {
  const now = tx.now()
  const runs = tx.db.getRepository(TestRunEntity)
  const row = {
    ...emptyRun(project.id, now),
    id: newId(now),
    userId: requireUser(tx).userId,
    tokenId: tokenIdOf(tx),
    source: 'upload' as const,
    status: 'COMPLETED' as const,
    branch: fields.branch ?? null,
    commitSha: fields.commitSha ?? null,
    testedSha: fields.testedSha === fields.commitSha ? null : (fields.testedSha ?? null),
    pullRequest: fields.pullRequest ?? null,
    ranAt: ranAtOf(fields, now),
    name: fields.name ?? null,
    idempotencyKey: runKey,
  }
  await runs.createQueryBuilder().insert().values(row).orIgnore().execute()
  const run = await runs.findOne({
    where: { projectId: project.id, idempotencyKey: runKey },
    lock: { mode: 'pessimistic_write' },
  })
  if (!run) throw notFound('test run')
  return run
}

/** The results of a day are final some time after it. */
const maxAgeDays = 30

function ranAtOf({ ranAt }: UploadFields, now: Date): Date {
  const time = ranAt === undefined ? now : new Date(ranAt)
  if (time.getTime() < now.getTime() - maxAgeDays * 86_400_000) {
    throw invalid(`ranAt: ${ranAt} is more than ${maxAgeDays} days ago`)
  }
  // The clocks of CI machines differ.
  return time > now ? now : time
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

function presentUploaded(site: Site, run: TestRunRow): UploadedRun {
  const { id: runId, totalTests, passedTests, failedTests, mutedTests, skippedTests, coverage } = run
  const warnings = run.warnings.map(({ text }) => text)
  const status = reportedStatus(run)
  return {
    runId,
    url: runUrl(site, run),
    status,
    totalTests,
    passedTests,
    failedTests,
    mutedTests,
    skippedTests,
    coverage,
    warnings,
  }
}
