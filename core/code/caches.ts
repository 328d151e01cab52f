import { createHash } from 'node:crypto'
import type { HighlightedFile } from '../../engines/highlighting/highlight.ts'

declare module '../base/context.ts' {
  interface Services {
    /** What this process remembers for views of code. */
    code: CodeCaches
  }
}

export interface CodeCaches {
  readable: ReadableRepositories
  files: KeptFiles
}

export const createCodeCaches = (now: () => Date): CodeCaches => ({
  readable: new ReadableRepositories(now),
  files: new KeptFiles(),
})

/** A user who loses access to a repository can see source that is stored here for so long. */
const rememberedMs = 60_000
const maxRemembered = 10_000

/** The repositories that their server recently let the project read. */
export class ReadableRepositories {
  readonly #now: () => Date
  readonly #until = new Map<string, number>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @param of - everything that the answer of the server depends on, with its credential */
  isKnown(of: readonly unknown[]): boolean {
    return (this.#until.get(keyOf(of)) ?? 0) > this.#now().getTime()
  }

  remember(of: readonly unknown[]): void {
    const key = keyOf(of)
    this.#until.delete(key)
    this.#until.set(key, this.#now().getTime() + rememberedMs)
    if (this.#until.size > maxRemembered) deleteFirst(this.#until)
  }
}

function deleteFirst(map: Map<string, unknown>): void {
  const [first] = map.keys()
  if (first !== undefined) map.delete(first)
}

/** Returns a short key, which does not contain credentials. */
export const keyOf = (of: readonly unknown[]) => createHash('sha256').update(JSON.stringify(of)).digest('base64')

const maxCharacters = 64 * 2 ** 20

/** A file and its tokens. */
export interface KeptFile {
  bytes: number
  text: HighlightedFile
}

/** The files that were shown last, by project, path and content. */
export class KeptFiles {
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, { file: KeptFile; characters: number }>()
  readonly #running = new Map<string, Promise<KeptFile>>()
  readonly #places = new Map<string, { key: string; contentId: string }>()
  #characters = 0

  /** Returns what is at a path of a commit, which never changes. */
  at(place: readonly unknown[]): { key: string; contentId: string } | undefined {
    return this.#places.get(keyOf(place))
  }

  rememberPlace(place: readonly unknown[], content: { key: string; contentId: string }): void {
    this.#places.set(keyOf(place), content)
    if (this.#places.size > maxRemembered) deleteFirst(this.#places)
  }

  get(key: string): KeptFile | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.file
  }

  /** Calls `read` once for all calls that wait for the same file. */
  async find(key: string, read: () => Promise<KeptFile>): Promise<KeptFile> {
    const known = this.get(key) ?? this.#running.get(key)
    if (known) return known
    const running = read()
    this.#running.set(key, running)
    try {
      const file = await running
      this.#keep(key, file)
      return file
    } finally {
      this.#running.delete(key)
    }
  }

  #keep(key: string, file: KeptFile): void {
    const pages = file.text.kind === 'text' ? file.text.pages : []
    const characters = pages.reduce((sum, page) => sum + page.length, 1_000)
    this.#kept.set(key, { file, characters })
    this.#characters += characters
    for (const [oldest, { characters }] of this.#kept) {
      if (this.#characters <= maxCharacters) return
      this.#kept.delete(oldest)
      this.#characters -= characters
    }
  }
}
