import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntityManager } from 'typeorm'
import { isErrno } from '../../engines/source/files.ts'
import { hasEnded } from '../../engines/source/process-name.ts'
import type { Services } from '../base/context.ts'
import { removeFiles } from './delete.ts'
import {
  incomingDirectory,
  projectSnapshots,
  receiverOf,
  snapshotDirectory,
  snapshotsDirectory,
} from './directories.ts'
import { SnapshotEntity } from './entity.ts'
import { isInUse, isInUseSql } from './in-use.ts'
import { keptMs } from './present.ts'

/** An upload takes less time than this. */
const abandonedMs = 3_600_000
const batchSize = 100

type Scope = Pick<Services, 'config' | 'log' | 'now'> & { db: EntityManager }

/**
 * Deletes expired snapshots, and what a killed process left: uploads that never completed, files without a row, and rows
 * without files.
 */
export async function cleanUpSnapshots(scope: Scope): Promise<void> {
  await deleteExpired(scope)
  await deleteRowsWithoutFiles(scope)
  await deleteFilesWithoutRow(scope)
  await deleteAbandonedUploads(scope)
}

async function deleteExpired(scope: Scope): Promise<void> {
  const { db, now } = scope
  const usedBefore = new Date(now().getTime() - keptMs)
  for (let after = ''; ;) {
    const expired = await db.query<{ id: string }[]>(
      `SELECT id FROM snapshots s WHERE last_used_at < $1 AND id > $2 AND NOT ${isInUseSql} ORDER BY id LIMIT ${batchSize}`,
      [usedBefore, after],
    )
    for (const { id } of expired) await deleteUnlessUsed(scope, id, usedBefore)
    if (expired.length < batchSize) return
    after = expired.at(-1)?.id ?? ''
  }
}

/** Work on the snapshot may have been queued since it was found. The lock of the row makes such a call wait. */
async function deleteUnlessUsed(scope: Scope, id: string, usedBefore: Date): Promise<void> {
  const deleted = await scope.db.transaction(async (db) => {
    const snapshots = db.getRepository(SnapshotEntity)
    const row = await snapshots.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } })
    if (!row || row.lastUsedAt >= usedBefore || (await isInUse({ db }, id))) return undefined
    await snapshots.delete({ id })
    return row
  })
  if (deleted) await removeFiles(scope, deleted)
}

async function deleteRowsWithoutFiles({ config, db, log }: Scope): Promise<void> {
  const snapshots = db.getRepository(SnapshotEntity)
  for (let after = ''; ;) {
    const rows = await db.query<{ id: string; projectId: string }[]>(
      `SELECT id, project_id AS "projectId" FROM snapshots WHERE id > $1 ORDER BY id LIMIT ${batchSize}`,
      [after],
    )
    for (const row of rows) {
      if (!(await isGone(snapshotDirectory(config, row)))) continue
      log.warn({ snapshotId: row.id }, 'a snapshot has lost its files, so it is deleted')
      await snapshots.delete({ id: row.id })
    }
    if (rows.length < batchSize) return
    after = rows.at(-1)?.id ?? ''
  }
}

async function deleteFilesWithoutRow(scope: Scope): Promise<void> {
  const { config, db, log } = scope
  const incoming = incomingDirectory(config)
  for (const projectId of await namesIn(snapshotsDirectory(config))) {
    const folder = projectSnapshots(config, projectId)
    if (folder === incoming) continue
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      const id = name.replace(/\.git$/, '')
      // The files of a new snapshot are there before its row.
      if (!(await isOld(scope, path)) || (await db.getRepository(SnapshotEntity).existsBy({ id, projectId }))) continue
      await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
        log.warn({ err: error, path }, 'cannot delete files that belong to no snapshot'),
      )
    }
    // Fails unless it is empty.
    if (await isOld(scope, folder)) await rmdir(folder).catch(() => undefined)
  }
}

/**
 * Deletes the uploads that a killed process of this machine left, and those of unknown processes after an hour. Those of
 * other running processes stay.
 */
export async function deleteAbandonedUploads(scope: Pick<Scope, 'config' | 'log' | 'now'>): Promise<void> {
  const { config, log } = scope
  const incoming = incomingDirectory(config)
  for (const name of await namesIn(incoming)) {
    const path = join(incoming, name)
    if (!(await hasEnded(receiverOf(name))) && !(await isOld(scope, path))) continue
    await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ err: error, path }, 'cannot delete an abandoned upload'),
    )
  }
}

/** A stray file among the folders has no names. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** A folder that cannot be read for another reason, such as its permissions, is not gone. */
async function isGone(path: string): Promise<boolean> {
  try {
    await stat(path)
    return false
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return true
    throw error
  }
}

/** Moving a file changes its `ctime`. */
async function isOld({ now }: Pick<Scope, 'now'>, path: string): Promise<boolean> {
  const times = await stat(path).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  })
  return times !== undefined && Math.max(times.mtimeMs, times.ctimeMs) < now().getTime() - abandonedMs
}
