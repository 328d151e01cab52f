import { answerJob, runInChildProcess, UnansweredJob } from './child-jobs.ts'

/** One source file for a child process. */
export interface Reading {
  path: string
  source: string
}

const maxSourceBytes = 1_024 * 1_024
/** A source within the size limit takes a second or two. Only hostile input takes longer. */
const timeoutMs = 10_000

/**
 * Reads a source in a child process, which can neither crash nor block this one.
 *
 * @param program - the file of the child process; it calls `answerReading`
 * @returns undefined for sources that are too large, take too long, or make the reader throw or crash
 */
export async function readApart<Result>(program: string, reading: Reading): Promise<Result | undefined> {
  if (Buffer.byteLength(reading.source) > maxSourceBytes) return undefined
  try {
    return await runInChildProcess<Result>(program, reading, { timeoutMs, v8Options: ['--max-old-space-size=1024'] })
  } catch (error) {
    if (error instanceof UnansweredJob) return undefined
    throw error
  }
}

/** The child's side of `readApart`: answers one reading, then ends. A source that makes `read` throw has no result. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the type that the message has by contract
export function answerReading<Given extends Reading>(read: (reading: Given) => Promise<unknown>): void {
  answerJob((reading: Given) => read(reading).catch(() => undefined))
}
