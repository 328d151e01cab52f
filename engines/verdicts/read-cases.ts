import { receiveBatches } from '../processes/batches.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import { asReportError, reportErrorOf, type ReportProblem } from '../reports/read-apart.ts'
import type { ReadOptions } from '../reports/report.ts'
import type { ReportFile } from '../reports/report-file.ts'
import type { Totals } from '../reports/totals.ts'
import type { Surroundings } from './failure-place.ts'
import type { OutcomeCase } from './outcome.ts'

export interface CasesInput extends Pick<ReadOptions, 'roots' | 'goModules'>, Omit<Surroundings, 'files'> {
  file: ReportFile
  /** The name of the framework in test plans. */
  framework: string | null
  /** Further cases are only counted. */
  maxCases: number
  /** The sum of `lengthOf` after which cases are only counted. */
  maxLength: number
}

export interface CasesEnd {
  totals: Totals
  warnings: readonly string[]
  problem: ReportProblem | null
}

export type CasesWork = TaskWork<CasesInput, CasesEnd, string, void, readonly string[]>

const task = taskAt<CasesWork>(new URL('cases-task.ts', import.meta.url))

const countedMessage = 2_000

/** How much a case counts against the limit of a run's cases. */
export const lengthOf = ({ suite, name, message }: OutcomeCase) =>
  suite.length + name.length + Math.min(message?.length ?? 0, countedMessage)

/**
 * Reads the report of one run in another process, and explains its failures.
 *
 * @param paths - the files of the commit and of the test
 * @throws ReportError for an unreadable report
 */
export async function readCasesApart(
  runner: TaskRunner,
  input: CasesInput,
  paths: readonly string[],
  warn: (message: string) => void,
): Promise<{ cases: OutcomeCase[]; totals: Totals }> {
  const cases: OutcomeCase[] = []
  const batches = receiveBatches<string, CasesEnd>(({ signal, onAsk }) =>
    runner.run(task, input, { signal, onAsk, shared: paths }),
  )
  try {
    let next = await batches.next()
    // The text comes from our own code, which wrote it just before.
    for (; next.done !== true; next = await batches.next()) cases.push(...(JSON.parse(next.value) as OutcomeCase[]))
    const { totals, warnings, problem } = next.value
    warnings.forEach(warn)
    if (problem) throw reportErrorOf(problem)
    return { cases, totals }
  } catch (error) {
    throw asReportError(error, input.file.name)
  }
}
