import { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import type { FileRow } from '../entity.ts'
import { type StoreFile, storeFile } from '../store.ts'

interface NewFile extends Partial<Omit<StoreFile, 'stream'>> {
  projectId: string
  content?: string | Buffer
}

/** Returns a context for operations outside of requests. */
export function background(app: App, signal = new AbortController().signal) {
  return { ...app.services, db: app.dataSource.manager, signal }
}

/** Stores a file of the project; by default `hello.txt` of one run. */
export function createFileFor(app: App, { content = 'Hello', ...fields }: NewFile): Promise<FileRow> {
  return storeFile(background(app), {
    runId: 'run-1',
    name: 'hello.txt',
    contentType: 'text/plain',
    maxBytes: 1_000_000_000,
    stream: Readable.from([Buffer.from(content)], { objectMode: false }),
    ...fields,
  })
}
