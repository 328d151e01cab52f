import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { In } from 'typeorm'
import type { Context } from '../base/context.ts'
import { AppError, conflict, notFound } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { parseInput } from '../base/input.ts'
import { normalContentType } from './content-type.ts'
import { DoomedObjectEntity, FileEntity, type FileRow } from './entity.ts'
import { FileRef } from './schema.ts'
import { newStorageKey } from './storage/key.ts'

interface Bytes {
  stream: Readable
  maxBytes: number
}

export interface NewFile extends FileRef {
  /** Given by the sender. It does not decide how the file is served. */
  contentType: string
}

export type StoreFile = NewFile & Bytes

/** A stored object that has no row in `files` yet. */
export type StagedFile = Pick<FileRow, 'storageKey' | 'size' | 'sha256'>

/** The maximum time from the start of an upload to its row. After that the object is deleted and the upload fails. */
const maxUploadMs = 86_400_000

type Storing = Pick<Context, 'db' | 'log' | 'now' | 'signal' | 'storage'>

/**
 * Stores a file of a project. The calling operation checks permissions.
 *
 * @throws AppError 413 beyond `maxBytes`; 409 if the run has a file of this name; 404 if the project was deleted
 */
export async function storeFile(ctx: Storing, { stream, maxBytes, ...file }: StoreFile): Promise<FileRow> {
  requireNoTransaction(ctx)
  requireName(file)
  const staged = await stageFile(ctx, { stream, maxBytes })
  try {
    return await ctx.db.transaction(async (db) => {
      const [row] = await keepFiles({ db, now: ctx.now }, file, [{ ...file, ...staged }])
      if (!row) throw new Error('keepFiles returned no row.')
      return row
    })
  } catch (error) {
    await dropStagedFiles(ctx, [staged])
    throw error
  }
}

/**
 * Stores the bytes of a file, for which `keepFiles` then creates the row. The key is recorded as doomed before the first
 * byte is stored, and removed in the transaction that writes the row. So even after a crash the object either has a row
 * or is deleted later.
 *
 * @throws AppError 413 beyond `maxBytes`
 */
export async function stageFile(ctx: Storing, { stream, maxBytes }: Bytes): Promise<StagedFile> {
  requireNoTransaction(ctx)
  // An error before the stream is read would end the process if it had no listener. Reading the stream throws it later.
  stream.on('error', () => {})
  const storageKey = newStorageKey()
  const dueAt = new Date(ctx.now().getTime() + maxUploadMs)
  await ctx.db.getRepository(DoomedObjectEntity).insert({ storageKey, dueAt })
  try {
    const measured = measure(stream, maxBytes)
    await ctx.storage.put(storageKey, measured.bytes, ctx.signal)
    return { storageKey, size: measured.size(), sha256: measured.sha256() }
  } catch (error) {
    stream.destroy()
    await dropStagedFiles(ctx, [{ storageKey }])
    throw error
  }
}

/**
 * Creates the rows of stored objects, in the caller's transaction.
 *
 * @throws AppError 409 if the run has a file of one of the names; 404 if the project was deleted
 */
export async function keepFiles(
  tx: Pick<Context, 'db' | 'now'>,
  { projectId, runId }: Pick<FileRef, 'projectId' | 'runId'>,
  files: readonly (StagedFile & Pick<NewFile, 'name' | 'contentType'>)[],
): Promise<FileRow[]> {
  const project = await tx.db
    .getRepository(ProjectEntity)
    .findOne({ where: { id: projectId }, select: { id: true }, lock: { mode: 'for_key_share' } })
  if (!project) throw notFound('project')
  const keys = files.map(({ storageKey }) => storageKey)
  const { affected } = await tx.db.getRepository(DoomedObjectEntity).delete({ storageKey: In(keys) })
  if (affected !== files.length) {
    throw new AppError('TIMEOUT', 'The upload took longer than a day. Send the file again.')
  }
  const createdAt = tx.now()
  const rows = files.map(({ name, contentType, storageKey, size, sha256 }) => ({
    id: newId(createdAt),
    ...requireName({ projectId, runId, name }),
    storageKey,
    contentType: normalContentType(contentType),
    size,
    sha256,
    createdAt,
  }))
  const { raw } = await tx.db
    .createQueryBuilder()
    .insert()
    .into(FileEntity)
    .values(rows)
    .orIgnore()
    .returning('id')
    .execute()
  const written = new Set((raw as Pick<FileRow, 'id'>[]).map(({ id }) => id))
  const refused = rows.find(({ id }) => !written.has(id))
  if (refused) throw conflict(`A file named ${refused.name} already exists.`)
  return rows
}

/** Schedules objects without a row for deletion now. Never fails: otherwise they are deleted after a day. */
export async function dropStagedFiles(
  ctx: Pick<Context, 'db' | 'log' | 'now'>,
  staged: readonly Pick<StagedFile, 'storageKey'>[],
): Promise<void> {
  await ctx.db
    .getRepository(DoomedObjectEntity)
    .update({ storageKey: In(staged.map(({ storageKey }) => storageKey)) }, { dueAt: ctx.now() })
    .catch((failure: unknown) => ctx.log.warn({ err: failure }, 'incomplete objects will be deleted tomorrow'))
}

function requireNoTransaction({ db }: Pick<Context, 'db'>): void {
  if (db.queryRunner?.isTransactionActive)
    throw new Error('Files cannot be stored within a transaction: it would stay open until the last byte arrives.')
}

function requireName(input: FileRef): Omit<FileRef, 'userEmail'> {
  const { projectId, runId, name } = parseInput(FileRef, input)
  return { projectId, runId, name }
}

/** Passes bytes through and counts and hashes them. */
function measure(stream: Readable, maxBytes: number) {
  const hash = createHash('sha256')
  let size = 0
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `A file can have at most ${maxBytes} bytes.`)
      hash.update(bytes)
      yield bytes
    }
  }
  return { bytes: Readable.from(pass(), { objectMode: false }), size: () => size, sha256: () => hash.digest('hex') }
}
