import { Readable } from 'node:stream'
import { type GitProcess, startGit } from './git.ts'
import { ByteReader } from './records.ts'
import type { TreeEntry } from './types.ts'

/** The output for one request. Dispose of it to end its git, unless the output was read completely. */
export interface Reading extends AsyncDisposable {
  bytes: ByteReader
  /** Whether git was kept from an earlier request, and may have died meanwhile. */
  isKept: boolean
  /** Keeps git for the next request. Everything must have been read. */
  complete(): void
}

interface Session {
  git: GitProcess
  bytes: ByteReader
  kill: AbortController
}

const idsPerFlush = 1_000

/**
 * Reads the objects of a repository. A git that has answered completely is kept for the next request, because starting
 * one costs more than reading a few objects; requests at the same time get one each.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #gitDir: string
  #isClosed = false
  #idle: Session | undefined

  constructor(gitDir: string) {
    this.#gitDir = gitDir
  }

  /** Requests objects, which git writes in the format of `cat-file --batch`. */
  async read(entries: readonly TreeEntry[], signal: AbortSignal): Promise<Reading> {
    signal.throwIfAborted()
    const isKept = this.#idle !== undefined
    const session = this.#idle ?? (await this.#start())
    this.#idle = undefined
    const { git, bytes, kill } = session
    const end = () => kill.abort(signal.reason)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    Readable.from(requests(entries)).pipe(git.stdin, { end: false })
    let isComplete = false
    return {
      bytes,
      isKept,
      complete: () => {
        isComplete = true
      },
      [Symbol.asyncDispose]: async () => {
        signal.removeEventListener('abort', end)
        if (!isComplete || this.#idle || this.#isClosed || kill.signal.aborted) await git[Symbol.asyncDispose]()
        else this.#idle = session
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#idle?.git[Symbol.asyncDispose]()
    this.#idle = undefined
  }

  async #start(): Promise<Session> {
    const args = ['cat-file', '--batch-command', '--buffer']
    const kill = new AbortController()
    const git = await startGit({ args, gitDir: this.#gitDir, signal: kill.signal })
    return { git, bytes: new ByteReader(git.stdout), kill }
  }
}

/** Git holds requests back until it is told to answer them. */
function* requests(entries: readonly TreeEntry[]): Generator<string> {
  for (let start = 0; start < entries.length; start += idsPerFlush) {
    const ids = entries.slice(start, start + idsPerFlush).map((entry) => `contents ${entry.blobId}\n`)
    yield `${ids.join('')}flush\n`
  }
}
