import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { packTooLarge } from '../../engines/source/pack-file.ts'
import { defaultSnapshotLimits } from '../../engines/source/snapshot.ts'
import type { Context } from '../base/context.ts'
import { AppError, invalid } from '../base/errors.ts'
import { contentType } from '../http/body.ts'
import { readUpload } from '../http/body-time.ts'
import { HeldBytes } from '../http/held-bytes.ts'
import { callerOf } from '../http/take-turn.ts'
import { newUploadDirectory } from './directories.ts'

export const packType = 'application/x-git-packed-objects'

/** A pack in a temporary folder. Disposing of it deletes the folder. */
export interface ReceivedPack extends AsyncDisposable {
  path: string
  /** A folder for the files that the pack becomes. */
  folder: string
}

const { maxPackBytes } = defaultSnapshotLimits
const arriving = new HeldBytes('snapshots', 10)

/**
 * Writes the body of a request to a temporary folder.
 *
 * @throws AppError 413 beyond the size limit; 415; 400 for an incomplete body; 408; 429 or 503 while too many packs arrive
 */
export async function receivePack(
  ctx: Pick<Context, 'config' | 'signal' | 'actor' | 'client'>,
  req: IncomingMessage,
): Promise<ReceivedPack> {
  requirePackType(req)
  const announced = Number(req.headers['content-length'] ?? maxPackBytes)
  if (announced > maxPackBytes) throw tooLarge(`The pack has ${bytesText(announced)}`)
  using _held = arriving.hold(callerOf(ctx), announced)
  return await storePack(ctx, bodyOf(req, ctx.config))
}

function requirePackType(req: IncomingMessage): void {
  const type = contentType(req)
  if (type === packType) return
  const sent = type ? `, not ${type.slice(0, 100)}` : ''
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The body must be a git pack with the header Content-Type: ${packType}${sent}. With curl, add ` +
      `-H 'Content-Type: ${packType}' --data-binary @FILE. For a pack in JSON, call snapshots.create.`,
  )
}

async function* bodyOf(req: IncomingMessage, { bodyTimes }: Context['config']): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const bytes of readUpload(req, bodyTimes)) {
      size += bytes.length
      if (size > maxPackBytes) throw tooLarge(`The pack has at least ${bytesText(size)}`)
      yield bytes
    }
  } catch (error) {
    throw error instanceof AppError ? error : invalid('The pack is incomplete. Send it again.', { cause: error })
  }
}

/** Writes a pack to a new temporary folder. */
export async function storePack(
  { config, signal }: Pick<Context, 'config' | 'signal'>,
  bytes: AsyncIterable<Buffer> | readonly Buffer[],
): Promise<ReceivedPack> {
  await using opened = new AsyncDisposableStack()
  const folder = await newUploadDirectory(config)
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'received.pack')
  await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  const stack = opened.move()
  return { path, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** @param has - "The pack has 70,000,000 bytes" */
const tooLarge = (has: string) => new AppError('PAYLOAD_TOO_LARGE', packTooLarge(has, defaultSnapshotLimits).message)

const bytesText = (bytes: number) => `${bytes.toLocaleString('en')} bytes`
