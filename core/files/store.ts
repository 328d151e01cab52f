import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { AppError, conflict, invalid, notFound } from '../errors.ts'
import { newId } from '../ids.ts'
import { ProjectEntity } from '../projects/entity.ts'
import { describeIssues } from '../input.ts'
import { normalContentType } from './content-type.ts'
import { DoomedObjectEntity, FileEntity, type FileRow } from './entity.ts'
import { FileRef } from './schema.ts'
import { newStorageKey } from './storage/key.ts'

export interface StoreFile extends FileRef {
  /** What its sender calls it; it decides nothing about how browsers take it. */
  contentType: string
  stream: Readable
  maxBytes: number
}

/** How long bytes may take to arrive; whoever is slower finds the object gone and the call failed. */
const patienceMs = 86_400_000

/**
 * Stores a file of a project, for operations that have made sure that it may. Its key is written down as doomed before
 * the first byte is stored, and taken back in the transaction that writes the row: whatever comes between, the object
 * has a row or is deleted later.
 *
 * @throws AppError 413 beyond `maxBytes`; 409 where the run has a file of this name; 404 where the project is gone
 */
export async function storeFile(
  ctx: Pick<Context, 'db' | 'log' | 'now' | 'signal' | 'storage'>,
  { contentType, stream, maxBytes, ...input }: StoreFile,
): Promise<FileRow> {
  if (ctx.db.queryRunner?.isTransactionActive) throw new Error('Bytes are not waited for within a transaction.')
  const ref = FileRef.safeParse(input)
  if (!ref.success) throw invalid(describeIssues(ref.error))
  const { projectId, runId, name } = ref.data
  // One that fails before it is read says so when it is; unheard, it would end the process.
  stream.on('error', () => {})
  const storageKey = newStorageKey()
  const doomed = ctx.db.getRepository(DoomedObjectEntity)
  await doomed.insert({ storageKey, dueAt: new Date(ctx.now().getTime() + patienceMs) })
  try {
    const measured = measure(stream, maxBytes)
    await ctx.storage.put(storageKey, measured.bytes, ctx.signal)
    return await ctx.db.transaction(async (db) => {
      const project = await db
        .getRepository(ProjectEntity)
        .findOne({ where: { id: projectId }, select: { id: true }, lock: { mode: 'for_key_share' } })
      if (!project) throw notFound('project')
      const { affected } = await db.getRepository(DoomedObjectEntity).delete({ storageKey })
      if (affected !== 1) throw new AppError('TIMEOUT', 'The file took longer than a day to arrive. Send it again.')
      const now = ctx.now()
      const row = {
        id: newId(now),
        projectId,
        runId,
        name,
        storageKey,
        contentType: normalContentType(contentType),
        size: measured.size(),
        sha256: measured.sha256(),
        createdAt: now,
      }
      const { raw } = await db
        .createQueryBuilder()
        .insert()
        .into(FileEntity)
        .values(row)
        .orIgnore()
        .returning('id')
        .execute()
      if (!Array.isArray(raw) || raw.length === 0) throw conflict(`There is a file named ${name} already.`)
      return row
    })
  } catch (error) {
    stream.destroy()
    // Only sooner than otherwise: where this fails too, the object is deleted in a day.
    await doomed
      .update({ storageKey }, { dueAt: ctx.now() })
      .catch((failure: unknown) => ctx.log.warn({ err: failure }, 'an object that was not stored is deleted tomorrow'))
    throw error
  }
}

/** The same bytes, counted and hashed on their way. */
function measure(stream: Readable, maxBytes: number) {
  const hash = createHash('sha256')
  let size = 0
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `A file may have at most ${maxBytes} bytes.`)
      hash.update(bytes)
      yield bytes
    }
  }
  return { bytes: Readable.from(pass(), { objectMode: false }), size: () => size, sha256: () => hash.digest('hex') }
}
