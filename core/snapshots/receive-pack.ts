import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { defaultSnapshotLimits } from '../../engines/source/snapshot.ts'
import type { Context } from '../base/context.ts'
import { AppError, invalid, unavailable } from '../base/errors.ts'
import { contentType } from '../http/body.ts'
import { newUploadDirectory } from './directories.ts'

export const packType = 'application/x-git-packed-objects'

/** A pack in a temporary folder. Disposing of it deletes the folder. */
export interface ReceivedPack extends AsyncDisposable {
  path: string
  /** A folder for the files that the pack becomes. */
  folder: string
}

const { maxPackBytes } = defaultSnapshotLimits
/** The maximum size of the packs that this process receives at once. */
const maxHeldBytes = 2 ** 30
let heldBytes = 0
/** How long the rest of a body that is too large is read and discarded. */
const discardMs = 5_000

/**
 * Writes the body of a request to a temporary folder.
 *
 * @throws AppError 413 beyond the size limit; 415; 400 for an incomplete body; 503 while too many packs arrive
 */
export async function receivePack(
  ctx: Pick<Context, 'config' | 'signal'>,
  req: IncomingMessage,
): Promise<ReceivedPack> {
  if (contentType(req) !== packType) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send a git pack with the header Content-Type: ${packType}.`)
  }
  const announced = Number(req.headers['content-length'] ?? maxPackBytes)
  if (announced > maxPackBytes) return refuse(ctx, req)
  if (heldBytes + announced > maxHeldBytes) {
    throw unavailable('The server is receiving too many snapshots. Try again in 10 s.', 10)
  }
  heldBytes += announced
  try {
    return await storePack(ctx, bodyOf(req)).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE') return refuse(ctx, req)
      throw error
    })
  } finally {
    heldBytes -= announced
  }
}

/**
 * Reads on for a while before it refuses the body: closing a connection on which the client still sends could lose the
 * response.
 */
async function refuse({ signal }: Pick<Context, 'signal'>, req: IncomingMessage): Promise<never> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(discardMs)])
  req.resume()
  if (!req.readableEnded) await once(req, 'end', { signal: deadline }).catch(() => {})
  throw tooLarge()
}

/** Does not destroy the request, because that would close the connection before the response is sent. */
async function* bodyOf(req: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > maxPackBytes) throw tooLarge()
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

const tooLarge = () =>
  new AppError(
    'PAYLOAD_TOO_LARGE',
    `The pack of a snapshot may have at most ${maxPackBytes / 2 ** 20} MiB. Leave large files out of the working tree, or commit and push them.`,
    { headers: { Connection: 'close' } },
  )
