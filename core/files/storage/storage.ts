import type { Readable } from 'node:stream'

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

declare module '../../base/context.ts' {
  interface Services {
    storage: FileStorage
  }
}

/** Where the bytes of files are. Keys are those of `newStorageKey`; every other text is refused. */
export interface FileStorage extends AsyncDisposable {
  /** Writes an object whole, or not at all; once this is over it survives a power cut. */
  put(key: string, bytes: Readable, signal: AbortSignal): Promise<void>
  /** Its bytes, and the size of the whole; undefined where there is none. */
  open(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<OpenedObject | undefined>
  /** Deletes it, with what an interrupted `put` has left. One that is not there is fine. */
  delete(key: string): Promise<void>
}

/** To be disposed of, read or not. */
export interface OpenedObject extends AsyncDisposable {
  size: number
  /** Each chunk is good until the next one is asked for: its memory is used again. */
  chunks: AsyncIterable<Buffer>
}
