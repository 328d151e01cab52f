import { type Frame, innermostFirst, type ReadFrame } from './stack-frames.ts'
import { relativePath } from './text.ts'

export type { Frame } from './stack-frames.ts'

export interface FrameOptions {
  /** Folders that absolute paths begin with; see `ReadOptions`. */
  roots: readonly string[]
  /** Files of the repository, if known: they resolve names without a path and exclude other files. */
  files?: ReadonlySet<string>
}

/** The maximum number of frames that are read. */
const maxFrames = 500
const maxRead = 64_000

/** Code that is not the project's own: dependencies, runtimes, generated files. */
const foreign =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|venv|\.tox|\.cargo|gems|\.bundle|\.nuget|\.m2|\.gradle|go\/pkg\/mod|\.yarn|lib\/python[\d.]+)\/|^internal\/(?:async_hooks|main|modules|process|streams|timers)\/|\.pnp\.c?js$/

/**
 * Returns the innermost position in the project that the message or stack of a failure names, also if the innermost call
 * comes last, as in Python. Returns null if there is none.
 */
export function firstFrame(message: string | null, stack: string | null, options: FrameOptions): Frame | null {
  // A stack often begins with the message; text in both is read once, in the stack.
  for (const text of [stack, message]) {
    if (text === null || text === '') continue
    let count = 0
    for (const frame of innermostFirst(text.slice(0, maxRead))) {
      if (count++ === maxFrames) break
      const file = projectFile(frame, options)
      if (file !== null) return { file, line: frame.line, column: frame.column }
    }
  }
  return null
}

function projectFile(frame: ReadFrame, { roots, files }: FrameOptions): string | null {
  if (frame.isBare) {
    if (files !== undefined) return fileEndingWith(frame.path, files)
    return frame.path.includes('/') ? null : relativePath(frame.path, roots)
  }
  const path = relativePath(frame.path, roots)
  if (path === null || isForeign(path)) return null
  if (files === undefined || files.has(path)) return path
  return fileEndingWith(path, files)
}

/** Returns the file of the repository whose path ends like this, or null if there is not exactly one. */
export function fileEndingWith(path: string, files: ReadonlySet<string>): string | null {
  const found = byName(files)
    .get(baseName(path))
    ?.filter((file) => file === path || file.endsWith(`/${path}`))
  return found?.length === 1 ? (found[0] ?? null) : null
}

/** Cached with the set of files, because one run has many frames. */
const indexes = new WeakMap<ReadonlySet<string>, Map<string, string[]>>()

function byName(files: ReadonlySet<string>): Map<string, string[]> {
  let index = indexes.get(files)
  if (index === undefined) {
    index = Map.groupBy(files, baseName)
    indexes.set(files, index)
  }
  return index
}

/** Whether a path belongs to a dependency, a runtime or generated code. */
export function isForeign(path: string): boolean {
  return foreign.test(path)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
