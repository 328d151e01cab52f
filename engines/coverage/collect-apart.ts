import { taskAt, TaskFailure, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import { asReportError, reportErrorOf, type ReportProblem } from '../reports/read-apart.ts'
import type { ReportFile } from '../reports/report-file.ts'
import type { CoverageOptions, FileCoverage } from './coverage.ts'

/** The coverage of a file as texts, which are stored. */
export interface CoveredFile extends Pick<FileCoverage, 'path' | 'lines' | 'branches' | 'functions'> {
  /** Ranges of lines, such as `1-4,9`. */
  covered: string
  uncovered: string
  /** The number of covered branches per line, such as `12:1,14:2`. Empty unless wanted. */
  reachedBranches: string
  /** Lines of which not every branch was taken, such as `12:1/2,14:0/3`; null without branches. */
  partialBranches: string | null
  /** Lines of which every branch was taken, with their number, such as `12:2,14:4`; null without branches. */
  completeBranches: string | null
  /** Lines on which functions begin of which none was called, as ranges. */
  uncalled: string
}

export interface CoverageInput extends Omit<CoverageOptions, 'paths' | 'warn'> {
  files: readonly ReportFile[]
  /** Whether one unreadable file fails all of them. Otherwise it is a warning. */
  isStrict: boolean
  withBranches?: boolean
  /** Reads the files again with a further root if their paths match none: asks for the files of the repository. */
  guessesRoot?: boolean
}

export type CoverageQuestion = 'paths' | { batch: string }
export type CoverageAnswer = readonly string[] | undefined
export type CollectedCoverage = { warnings: readonly string[]; percent: number | null } | { problem: ReportProblem }

export type CoverageWork = TaskWork<
  CoverageInput,
  CollectedCoverage,
  CoverageQuestion,
  CoverageAnswer,
  readonly string[] | null
>

export interface CollectOptions {
  /** See `CoverageOptions.paths`. */
  paths: readonly string[] | null
  /** Returns the files of the repository, to guess a root. */
  findPaths?: () => Promise<readonly string[]>
  warn: (message: string) => void
}

const task = taskAt<CoverageWork>(new URL('coverage-task.ts', import.meta.url))

/** Reading each of them has taken the whole time, or all memory. */
const maxUnreadable = 3

/**
 * Collects the coverage of files in another process, sorted by path.
 *
 * @throws ReportError for an unreadable file, if reading is strict
 */
export async function collectCoverageApart(
  runner: TaskRunner,
  input: CoverageInput,
  { paths, findPaths, warn }: CollectOptions,
): Promise<{ files: CoveredFile[]; percent: number | null }> {
  let { files: left } = input
  for (let unreadable = 0; left.length > 0 && unreadable < maxUnreadable; unreadable++) {
    const files: CoveredFile[] = []
    const onAsk = async (question: CoverageQuestion): Promise<CoverageAnswer> => {
      if (question === 'paths') return findPaths?.()
      // The text comes from our own code, which wrote it just before.
      files.push(...(JSON.parse(question.batch) as CoveredFile[]))
      return undefined
    }
    try {
      const collected = await runner.run(task, { ...input, files: left }, { shared: paths, onAsk })
      if ('problem' in collected) throw reportErrorOf(collected.problem)
      collected.warnings.forEach(warn)
      return { files, percent: collected.percent }
    } catch (error) {
      const failed = left.find(({ name }) => error instanceof TaskFailure && name === error.step)
      const problem = asReportError(
        error,
        left
          .map(({ name }) => name)
          .join(', ')
          .slice(0, 200),
      )
      if (input.isStrict || !(error instanceof TaskFailure) || error.reason === 'lost') throw problem
      warn(`The coverage is incomplete: ${String(problem instanceof Error ? problem.message : problem)}`)
      left = left.filter((file) => file !== failed)
      if (!failed) break
    }
  }
  if (left.length > 0) warn('The coverage was not read, because too many of its files cannot be read.')
  return { files: [], percent: null }
}
