import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { requireStorageKey } from './key.ts'
import type { ByteRange, FileStorage } from './storage.ts'

/** Each reader uses two buffers of this size. */
const chunkBytes = 131_072

/** Opens a storage in a local folder. Objects are spread over 256 subfolders. */
export async function openFolder(root: string): Promise<FileStorage> {
  const incoming = join(root, 'incoming')
  try {
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    await access(incoming, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`STORAGE_URL names the folder ${root}, which cannot be used: ${reason}`, { cause })
  }
  const placeOf = (key: string) => join(root, requireStorageKey(key).slice(0, 2), key)
  const draftOf = (key: string) => join(incoming, requireStorageKey(key))

  return {
    async put(key, bytes, signal) {
      const draft = draftOf(key)
      const place = placeOf(key)
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(bytes, { signal })
        await file.sync()
        await file.close()
        if (await mkdir(dirname(place), { recursive: true, mode: 0o700 })) await syncFolder(root)
        await rename(draft, place)
        await syncFolder(dirname(place))
      } catch (error) {
        bytes.destroy()
        await file.close()
        await rm(draft, { force: true })
        throw error
      }
    },

    async open(key, range) {
      const file = await openObject(placeOf(key))
      if (!file) return undefined
      try {
        const { size } = await file.stat()
        return { size, chunks: readChunks(file, range), [Symbol.asyncDispose]: () => file.close() }
      } catch (error) {
        await file.close()
        throw error
      }
    },

    async delete(key) {
      await rm(draftOf(key), { force: true })
      await rm(placeOf(key), { force: true })
    },

    [Symbol.asyncDispose]: async () => {},
  }
}

async function openObject(path: string): Promise<FileHandle | undefined> {
  try {
    // Symbolic links are not followed, because they could point outside of the folder.
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Reads one chunk while the other one is being sent. Streams of Node allocate a buffer for each chunk, and collecting
 * these costs a process with a large heap more than the rest of sending a file.
 */
async function* readChunks(file: FileHandle, range: ByteRange | undefined): AsyncGenerator<Buffer> {
  let [current, spare] = [Buffer.allocUnsafeSlow(chunkBytes), Buffer.allocUnsafeSlow(chunkBytes)]
  let position = range?.start ?? 0
  const end = range ? range.end + 1 : Infinity
  const read = async (buffer: Buffer) => {
    const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, end - position), position)
    position += bytesRead
    return bytesRead
  }
  let reading = read(current)
  try {
    for (;;) {
      const length = await reading
      if (length === 0) return
      reading = read(spare)
      yield current.subarray(0, length)
      ;[current, spare] = [spare, current]
    }
  } finally {
    // The pending read must end before the file is closed. Its result does not matter.
    await Promise.allSettled([reading])
  }
}

/** A new name survives a power failure only after the folder was synced, too. Windows needs no sync. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}
