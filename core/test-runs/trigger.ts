import { createHash } from 'node:crypto'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { conflict, invalid } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { getOwnProject, lockOwnProject } from '../projects/get.ts'
import { requireBase } from '../snapshots/references.ts'
import { wantedState } from '../snapshots/wanted-state.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { presentRun } from './present.ts'
import { ownerOf } from '../projects/owner.ts'
import { placeInQueue, requireRoomForRun, runQueue } from './queue.ts'
import type { RunSource, TestRun, TriggerRun } from './schema.ts'

/** The fields of a new run that differ from the defaults of `emptyRun`. */
export interface NewRun extends Pick<TestRunRow, 'userId' | 'source' | 'branch' | 'commitSha'> {
  id: string
  type?: TestRunRow['type']
  snapshotId?: string | null
  pullRequest?: number | null
  withSecrets?: boolean
  selection?: TestRunRow['selection']
  impacted?: TestRunRow['impacted']
  rerunOf?: string | null
  name?: string | null
  idempotencyKey?: string | null
  requestDigest?: string | null
}

/** Triggers a test run and returns its record. A repeated idempotency key returns the run of the first call. */
export async function triggerRun(ctx: Context, input: TriggerRun, source = sourceOf(ctx)): Promise<TestRun> {
  const { userId } = requireUser(ctx)
  const project = await getOwnProject(ctx, input.projectId, 'member')
  const { branch, commitSha = null, snapshotId, type, paths = [], idempotencyKey = null } = input
  const impacted = impactedOf(input, project)
  const asked = { branch, commitSha, snapshotId, type, paths, ...(impacted && { impacted }) }
  const requestDigest = idempotencyKey === null ? null : digestOf(asked)
  const row = await inTransaction(ctx, async (tx) => {
    // The lock lets concurrent requests with the same key find the run that the first one creates.
    await lockOwnProject(tx, project.id, 'member')
    const earlier = idempotencyKey !== null && (await findByKey(tx, project.id, idempotencyKey))
    if (earlier) {
      if (earlier.requestDigest === requestDigest) return earlier
      throw conflict('This Idempotency-Key was used for a different request. Use a new key for each new run.')
    }
    return createRun(tx, project, {
      id: newId(tx.now()),
      userId,
      source,
      ...(await wantedState(tx, project, input)),
      type,
      selection: paths.length === 0 ? null : { paths, tests: [] },
      impacted,
      idempotencyKey,
      requestDigest,
    })
  })
  return presentRun(ctx, row, await placeInQueue(ctx, row, project))
}

/** @throws AppError 400 for fields that contradict each other */
function impactedOf(input: TriggerRun, { branch }: Pick<ProjectRow, 'branch'>): TestRunRow['impacted'] {
  const { selection, base, budgetSeconds = null, paths = [] } = input
  if (selection === undefined) {
    if (base === undefined && budgetSeconds === null) return null
    throw invalid('base and budgetSeconds: send them only with selection.')
  }
  if (paths.length > 0) throw invalid('paths and selection: send at most one of them.')
  if (base !== undefined) requireBase(base)
  return { base: base ?? branch, budgetSeconds, found: null }
}

const sourceOf = ({ actor }: Context): RunSource => (actor?.kind === 'user' ? 'dashboard' : 'api')

/** Stores a run and adds it to the queue. The caller has locked the project's row. */
export async function createRun(tx: Context, project: Omit<ProjectRow, 'settings'>, run: NewRun): Promise<TestRunRow> {
  await requireRoomForRun(tx, project)
  const row: TestRunRow = { ...emptyRun(project.id, tx.now()), tokenId: tokenIdOf(tx), ...run }
  await tx.db.getRepository(TestRunEntity).insert(row)
  await tx.jobs.enqueue(tx.db, runQueue, { runId: row.id }, { group: ownerOf(project) })
  return row
}

/** Returns the record of a new run with defaults. */
export function emptyRun(projectId: string, createdAt: Date) {
  return {
    projectId,
    tokenId: null,
    status: 'PENDING' as const,
    type: 'ALL' as const,
    snapshotId: null,
    testedSha: null,
    pullRequest: null,
    withSecrets: true,
    selection: null,
    impacted: null,
    rerunOf: null,
    name: null,
    idempotencyKey: null,
    requestDigest: null,
    totalTests: 0,
    passedTests: 0,
    failedTests: 0,
    skippedTests: 0,
    mutedTests: 0,
    resultsDeleted: false,
    flakyTests: 0,
    coverageFigures: null,
    coverage: null,
    duration: null,
    plan: null,
    recipe: null,
    timeline: null,
    executor: null,
    progress: null,
    error: null,
    warnings: [],
    attempt: 0,
    createdAt,
    ranAt: createdAt,
    startedAt: null,
    completedAt: null,
  }
}

export function findByKey(tx: Context, projectId: string, idempotencyKey: string): Promise<TestRunRow | null> {
  return tx.db.getRepository(TestRunEntity).findOneBy({ projectId, idempotencyKey })
}

export const digestOf = (request: unknown) => createHash('sha256').update(JSON.stringify(request)).digest('hex')

/** Validates the header `Idempotency-Key`. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalid('Idempotency-Key: must be 1 to 255 printable characters without spaces')
  }
  return header
}
