import { receiveBatches } from '../processes/batches.ts'
import { taskAt, TaskFailure, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import { caseOf, type CaseFields, type ReadCase } from './read-case.ts'
import { type ReadOptions, ReportError } from './report.ts'
import type { ReportFile } from './report-file.ts'

export interface ReportInput extends Pick<ReadOptions, 'roots' | 'goModules'> {
  file: ReportFile
  /** The working directory of the tests. With the paths of the repository, tests get paths in the repository. */
  directory?: string
  /** Omits the entries of files that node:test writes although its filter selected no test in them. */
  omitFileEntries?: boolean
}

export interface ReportEnd {
  warnings: readonly string[]
  problem: ReportProblem | null
  /** See `ReportFile.maxUnpackedBytes`. */
  unpackedBytes: number
}

/** A ReportError on its way between processes. */
export type ReportProblem = Pick<ReportError, 'code' | 'file' | 'line' | 'problem'>

/** Hands over the cases as JSON text, which is quicker to pass on than objects. */
export type ReportWork = TaskWork<ReportInput, ReportEnd, string, void, readonly string[] | undefined>

export const reportTask = taskAt<ReportWork>(new URL('report-task.ts', import.meta.url))

/**
 * Reads a report in another process, and yields its cases in batches. If reading fails with a ReportError, earlier
 * batches do not count.
 *
 * @param paths - the files of the repository, if known
 */
export async function* readReportApart(
  runner: TaskRunner,
  input: ReportInput,
  paths: readonly string[] | undefined,
  warn: (message: string) => void,
): AsyncGenerator<ReadCase[], { unpackedBytes: number }, undefined> {
  const batches = receiveBatches<string, ReportEnd>(({ signal, onAsk }) =>
    runner.run(reportTask, input, { signal, onAsk, shared: paths }),
  )
  try {
    let next = await batches.next()
    // The text comes from our own code, which wrote it just before.
    for (; next.done !== true; next = await batches.next()) yield (JSON.parse(next.value) as CaseFields[]).map(caseOf)
    const { warnings, problem, unpackedBytes } = next.value
    warnings.forEach(warn)
    if (problem) throw reportErrorOf(problem)
    return { unpackedBytes }
  } catch (error) {
    throw asReportError(error, input.file.name)
  } finally {
    await batches.return(undefined as never)
  }
}

export const reportErrorOf = ({ code, file, line, problem }: ReportProblem) =>
  new ReportError(code, file, problem, line)

/** Converts the failure of a task into one of the report, unless another attempt may succeed. */
export function asReportError(error: unknown, file: string): unknown {
  if (!(error instanceof TaskFailure) || error.reason === 'lost') return error
  return new ReportError('unreadable', error.step ?? file, `the file ${error.problem}`)
}
