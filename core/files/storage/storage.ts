import type { Readable } from 'node:stream'

/** The bytes from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

declare module '../../base/context.ts' {
  interface Services {
    storage: FileStorage
  }
}

/** Stores the bytes of files. It accepts only keys from `newStorageKey`. */
export interface FileStorage extends AsyncDisposable {
  /** Writes an object completely or not at all. After it resolves, the object survives a power failure. */
  put(key: string, bytes: Readable, signal: AbortSignal): Promise<void>
  /** Opens the bytes of an object, with its total size; undefined if it does not exist. */
  open(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<OpenedObject | undefined>
  /** Deletes an object and the remains of an interrupted `put`. A missing object is not an error. */
  delete(key: string): Promise<void>
}

/** Must be disposed of, even if it was not read. */
export interface OpenedObject extends AsyncDisposable {
  size: number
  /** Each chunk is valid only until the next one is requested, because its buffer is reused. */
  chunks: AsyncIterable<Buffer>
}
