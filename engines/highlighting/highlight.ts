import { PoolFull, taskAt, TaskFailure, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { CutLine } from './lines.ts'

interface HighlightInput {
  path: string
  /** Null if the file is too large to be read. */
  content: Uint8Array | null
  /** Whether to return the text without kinds of tokens. */
  isPlain: boolean
}

/** The text of a file as lines of tokens. */
export interface TextLines {
  kind: 'text'
  /** Linguist's name; `Unknown` where no rule fits. */
  language: string
  /** False if the file is too large, took too long, or is in a language without a grammar. */
  isHighlighted: boolean
  totalLines: number
  /** JSON of `Token[][]`, with `linesPerPage` lines in each text. */
  pages: string[]
  cutLines: CutLine[]
}

export type HighlightedFile = TextLines | { kind: 'binary'; language: string } | { kind: 'too_large'; language: string }

export type HighlightWork = TaskWork<HighlightInput, HighlightedFile>

export const highlightTask = taskAt<HighlightWork>(new URL('highlight-task.ts', import.meta.url))

/** Ten times as long as code of 2 MiB takes on an idle machine. Grammars can take much longer for hostile text. */
const timeoutMs = 15_000

/**
 * Splits the content of a file into lines of tokens, in another process. Content that the grammar cannot read in time
 * becomes lines of plain text. Bytes that are not UTF-8 become replacement characters; all other characters stay.
 */
export async function highlightApart(
  runner: TaskRunner,
  { path, content }: Pick<HighlightInput, 'path' | 'content'>,
  limits: { timeoutMs?: number } = {},
): Promise<HighlightedFile> {
  try {
    return await runner.run(highlightTask, { path, content, isPlain: false }, { timeoutMs, ...limits })
  } catch (error) {
    if (error instanceof PoolFull || (error instanceof TaskFailure && error.reason === 'lost')) throw error
    return runner.run(highlightTask, { path, content, isPlain: true })
  }
}
