import { collectCoverageApart, type CoveredFile } from '../../engines/coverage/collect-apart.ts'
import type { TaskRunner } from '../../engines/processes/tasks.ts'
import { ReportError } from '../../engines/reports/report.ts'
import type { PlanPart } from '../../engines/test-plan/plan.ts'
import { findFiles, folderBelow, type LeftFile, matchesAny } from './left-files.ts'
import type { GoModule } from '../../engines/test-plan/go-modules.ts'

/** The maximum number of reports that are read for one part. */
const maxReports = 2_000
const maxCoverageBytes = 512 * 2 ** 20
const outputPrefix = '{output}/'

/** The folders to which the tests of a part wrote. */
export interface LeftBehind {
  part: PlanPart
  /** The written files of the repository, or the whole repository; then `since` says which files are new. */
  root: string
  output: string
  /** The folder of reports that the command printed. */
  captured: string
  since: number | undefined
  /** The path of the repository that the tests saw. */
  seenAs: string
}

/** Finds the reports and coverage files of a part. */
export async function findResults({ part, root, output, captured, since }: LeftBehind) {
  const directory = await folderBelow(root, part.directory)
  const find = async (globs: readonly string[]): Promise<LeftFile[]> => {
    const own = globs.filter((glob) => glob.startsWith(outputPrefix)).map((glob) => glob.slice(outputPrefix.length))
    const rest = globs.filter((glob) => !glob.startsWith(outputPrefix))
    const printed = own.length === 0 ? [] : await findFiles(captured, matchesAny(own))
    const written = own.length === 0 ? [] : await findFiles(output, matchesAny(own))
    // The printed report comes from the runner. A file with its name may come from the tests.
    const inOutput = written.filter(({ name }) => printed.every((report) => report.name !== name))
    const inRoot =
      rest.length === 0 || directory === undefined ? [] : await findFiles(directory, matchesAny(rest), since)
    return [...printed, ...inOutput, ...inRoot]
  }
  const reports = await find(part.reports)
  return {
    reports: reports.length === 0 ? await find(part.elseReports ?? []) : reports,
    coverage: await find(part.coverage),
  }
}

export interface ReaderOptions {
  /** The files of the repository. */
  paths: readonly string[]
  goModules: readonly GoModule[]
  mask: (text: string) => string
  warn: (message: string) => void
}

/** Makes the folders of modules relative to a folder, and omits modules outside of it. */
export function seenFrom(directory: string, modules: readonly GoModule[]): GoModule[] {
  if (directory === '') return [...modules]
  return modules.flatMap(({ path, folder }) =>
    folder === directory || folder.startsWith(`${directory}/`)
      ? { path, folder: folder.slice(directory.length + 1) }
      : [],
  )
}

/** Each of them has taken the whole time, or all memory. */
const maxUnreadable = 3

/** Calls `read` for each report of a part, and returns the problems of unreadable ones and the number of empty ones. */
export async function readReports(
  files: readonly LeftFile[],
  { test }: Pick<PlanPart, 'test'>,
  read: (file: LeftFile) => Promise<void>,
): Promise<{ problems: string[]; empty: number }> {
  const problems: string[] = []
  let empty = 0
  let unreadable = 0
  if (files.length > maxReports) {
    problems.push(`The command left ${files.length} reports. Assay reads only the first ${maxReports}.`)
  }
  for (const file of files.slice(0, maxReports)) {
    if (unreadable === maxUnreadable) {
      problems.push(`Assay reads no further reports after ${maxUnreadable} that it cannot read within the limits.`)
      break
    }
    try {
      await read(file)
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      if (error.code === 'unreadable') unreadable++
      // The file for standard output exists even if the runner printed nothing.
      if (error.code === 'empty' && file.name === test.stdoutReport) empty++
      else problems.push(error.message)
    }
  }
  return { problems, empty }
}

/** Collects the coverage of all parts of a run. An unreadable file is only a warning, because the verdict does not need it. */
export function collectCoverage(
  runner: TaskRunner,
  parts: readonly { files: readonly LeftFile[]; seenAs: string; part: PlanPart }[],
  { paths, goModules, warn, withBranches = false }: CoverageReaderOptions,
): Promise<{ files: CoveredFile[]; percent: number | null }> {
  const input = {
    files: parts.flatMap(({ files }) => files),
    isStrict: false,
    roots: [...new Set(parts.map(({ seenAs }) => seenAs))],
    goModules,
    maxBytes: maxCoverageBytes,
    maxFiles: paths.length + 1_000,
    withBranches,
  }
  return collectCoverageApart(runner, input, { paths, warn })
}

interface CoverageReaderOptions extends Pick<ReaderOptions, 'paths' | 'goModules' | 'warn'> {
  withBranches?: boolean
}
