import { framesOf } from './stack-frames.ts'
import type { Frame, ReadFrame } from './stack-frames.ts'
import { relativePath } from './text.ts'

export type { Frame } from './stack-frames.ts'

export interface FrameOptions {
  /** Folders that absolute paths begin with; see `ReadOptions`. */
  roots: readonly string[]
  /** Files of the repository, if known: they resolve names without a path and exclude other files. */
  files?: ReadonlySet<string>
}

/** Frames after these many are not looked at. */
const maxFrames = 500
const maxRead = 64_000

/** Code that is not the project's own: dependencies, runtimes, generated files. */
const foreign =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|venv|\.tox|\.cargo|gems|\.bundle|\.nuget|\.m2|\.gradle|go\/pkg\/mod|\.yarn|lib\/python[\d.]+)\/|^internal\/(?:async_hooks|main|modules|process|streams|timers)\/|\.pnp\.c?js$/

/**
 * The innermost place in the project that a failure's message and stack name; of tracebacks that tell the last call
 * last, the last. Null where none is told.
 */
export function firstFrame(message: string | null, stack: string | null, options: FrameOptions): Frame | null {
  // A stack often begins with the message; text in both is read once, in the stack.
  for (const text of [stack, message]) {
    if (text === null || text === '') continue
    const frames = framesOf(text.slice(0, maxRead)).slice(0, maxFrames)
    const outermostFirst = frames.some((frame) => frame.lastIsInnermost)
    for (const frame of outermostFirst ? frames.toReversed() : frames) {
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

/** The one file of the repository whose path ends so; several make it unclear. */
export function fileEndingWith(path: string, files: ReadonlySet<string>): string | null {
  const found = byName(files)
    .get(baseName(path))
    ?.filter((file) => file === path || file.endsWith(`/${path}`))
  return found?.length === 1 ? (found[0] ?? null) : null
}

/** Kept for as long as the set of files is, as one run asks for many frames. */
const indexes = new WeakMap<ReadonlySet<string>, Map<string, string[]>>()

function byName(files: ReadonlySet<string>): Map<string, string[]> {
  let index = indexes.get(files)
  if (index === undefined) {
    index = Map.groupBy(files, baseName)
    indexes.set(files, index)
  }
  return index
}

/** Whether a path is of a dependency, a runtime or something generated. */
export function isForeign(path: string): boolean {
  return foreign.test(path)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
