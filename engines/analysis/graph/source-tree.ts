import type { FileTag } from '../../languages/schema.ts'
import type { FileRecord } from '../types.ts'
import { language } from '../../parsing/receivers.ts'
import type { FileFacts } from '../../parsing/types.ts'
import { type FilePaths, filePaths } from './file-paths.ts'

/** One tracked file as graph and ranking see it. */
export interface SourceFile {
  path: string
  language: string
  tags?: readonly FileTag[] | undefined
  record?: FileRecord | undefined
}

/** Look-ups over the files of one repository state. A file is known by its position in `files`. */
export class SourceTree {
  readonly files: readonly SourceFile[]
  readonly paths: FilePaths
  readonly #references = new Map<number, ReadonlySet<string>>()

  constructor(files: readonly SourceFile[], manifests: ReadonlyMap<string, string> = new Map()) {
    this.files = files
    this.paths = filePaths(
      files.map((file) => file.path),
      manifests,
    )
  }

  /** Text of the manifests and configuration files that resolution needs, by path. */
  get manifests(): ReadonlyMap<string, string> {
    return this.paths.manifests
  }

  idOf(path: string): number | undefined {
    return this.paths.idOf(path)
  }

  pathOf(id: number): string {
    return this.files[id]?.path ?? ''
  }

  facts(id: number): FileFacts | undefined {
    return this.files[id]?.record?.facts
  }

  isTest(id: number): boolean {
    return this.files[id]?.tags?.includes('test') === true
  }

  /** The names that a file refers to, without members of the language's own values: `stringify` of `JSON.stringify`. */
  references(id: number): ReadonlySet<string> {
    let names = this.#references.get(id)
    if (!names) {
      const { references = [], receivers } = this.facts(id) ?? {}
      names = new Set(receivers ? references.filter((_, at) => !isOfLanguage(receivers[at])) : references)
      this.#references.set(id, names)
    }
    return names
  }

  /** Files directly inside; the root is ''. */
  inDirectory(directory: string): readonly number[] {
    return this.paths.inDirectory(directory)
  }

  hasDirectory(directory: string): boolean {
    return this.paths.hasDirectory(directory)
  }
}

const isOfLanguage = (origins: readonly string[] | null | undefined) => origins?.length === 1 && origins[0] === language
