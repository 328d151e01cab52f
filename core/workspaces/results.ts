import { join } from 'node:path'
import type { Context } from '../base/context.ts'
import { createCoverage } from '../../engines/coverage/collect.ts'
import type { CoverageCollector } from '../../engines/coverage/coverage.ts'
import { classFiles } from '../../engines/reports/class-files.ts'
import { testIdentities } from '../../engines/reports/identity.ts'
import { readReport } from '../../engines/reports/read-report.ts'
import { ReportError, reportLimits, type ReportSource, type TestCase } from '../../engines/reports/report.ts'
import { correctIdentities, storeResults } from '../test-runs/store-results.ts'
import { noTests, type Totals } from '../../engines/reports/totals.ts'
import type { PlanPart } from '../../engines/test-plan/plan.ts'
import { findFiles, folderBelow, type LeftFile, matchesAny, openLeftFile } from './collect.ts'
import type { GoModule } from './prepare.ts'

const maxReports = 2_000
const maxCoverageBytes = 512 * 2 ** 20
const outputPrefix = '{output}/'

/** Where the tests of a part wrote. */
export interface LeftBehind {
  part: PlanPart
  /** What was written to the repository, or all of it; `since` tells which of it is new. */
  root: string
  output: string
  /** Reports that were printed. */
  captured: string
  since: number | undefined
  /** How the tests saw the repository. */
  seenAs: string
}

/** Reports and coverage of a part; paths are those that people will see. */
export async function findResults({ part, root, output, captured, since }: LeftBehind) {
  const directory = await folderBelow(root, part.directory)
  const find = async (globs: readonly string[]): Promise<LeftFile[]> => {
    const own = globs.filter((glob) => glob.startsWith(outputPrefix)).map((glob) => glob.slice(outputPrefix.length))
    const rest = globs.filter((glob) => !glob.startsWith(outputPrefix))
    const printed = own.length === 0 ? [] : await findFiles(captured, matchesAny(own))
    const written = own.length === 0 ? [] : await findFiles(output, matchesAny(own))
    // What was printed is what the runner said, whatever else has its name.
    const inOutput = written.filter(({ name }) => printed.every((report) => report.name !== name))
    const inRoot =
      rest.length === 0 || directory === undefined ? [] : await findFiles(directory, matchesAny(rest), since)
    return [...printed, ...inOutput, ...inRoot]
  }
  return { reports: await find(part.reports), coverage: await find(part.coverage) }
}

interface ReaderOptions {
  /** Of the repository. */
  paths: readonly string[]
  goModules: readonly GoModule[]
  mask: (text: string) => string
  warn: (message: string) => void
}

/** Reads reports into a run's results, in the caller's transaction. One that cannot be read leaves nothing, and is told. */
export function resultReader(
  tx: Pick<Context, 'db' | 'signal'>,
  runId: string,
  { paths, goModules, mask, warn }: ReaderOptions,
) {
  const withClassFile = classFiles(paths)
  const identities = testIdentities()
  let position = 0
  const read = async (files: readonly LeftFile[], left: Pick<LeftBehind, 'part' | 'seenAs'>) => {
    const totals = { ...noTests }
    const problems: string[] = []
    let empty = 0
    if (files.length > maxReports)
      problems.push(`There are ${files.length} reports, and at most ${maxReports} are read.`)
    for (const file of files.slice(0, maxReports)) {
      const roots = [join(left.seenAs, left.part.directory), left.seenAs]
      const options = { roots, limits: reportLimits, warn, goModules: seenFrom(left.part.directory, goModules) }
      await tx.db.query('SAVEPOINT report')
      try {
        await using source = await openSource(file)
        const { cases } = await readReport(source, options)
        const placed = inDirectory(masked(cases, mask), left.part.directory, withClassFile)
        const added = await storeResults(tx, { id: runId, position, identify: identities.keyOf }, placed)
        position += added.totalTests
        for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += added[name]
      } catch (error) {
        if (!(error instanceof ReportError)) throw error
        await tx.db.query('ROLLBACK TO SAVEPOINT report')
        // What a runner prints is a file also where it printed nothing.
        if (error.code === 'empty' && file.name === left.part.test.stdoutReport) empty++
        else problems.push(error.message)
      }
    }
    return { totals, problems, empty }
  }
  /** To be called once all are read. */
  const finish = () => correctIdentities(tx, runId, identities)
  return { read, finish }
}

/** Modules by their folder within another. */
export function seenFrom(directory: string, modules: readonly GoModule[]): GoModule[] {
  if (directory === '') return [...modules]
  return modules.flatMap(({ path, folder }) =>
    folder === directory || folder.startsWith(`${directory}/`)
      ? { path, folder: folder.slice(directory.length + 1) }
      : [],
  )
}

async function* masked(batches: AsyncIterable<readonly TestCase[]>, mask: (text: string) => string) {
  const hide = (text: string | null) => text && mask(text)
  for await (const batch of batches) {
    yield batch.map((test) => ({
      ...test,
      suite: mask(test.suite),
      name: mask(test.name),
      message: hide(test.message),
      stack: hide(test.stack),
      attempts: test.attempts.map((attempt) => ({ ...attempt, message: hide(attempt.message) })),
    }))
  }
}

/** Reports name files relative to where the tests ran; people look for them in the repository. */
async function* inDirectory(
  batches: AsyncIterable<readonly TestCase[]>,
  directory: string,
  withClassFile: (test: TestCase) => TestCase,
) {
  for await (const batch of batches) {
    yield batch.map((test) => withClassFile({ ...test, file: test.file === null ? null : join(directory, test.file) }))
  }
}

/** Collects the coverage of all parts of a run; files that cannot be read are warnings, since they decide nothing. */
export async function collectCoverage(
  parts: readonly { files: readonly LeftFile[]; seenAs: string; part: PlanPart }[],
  { paths, goModules, warn }: Pick<ReaderOptions, 'paths' | 'goModules' | 'warn'>,
): Promise<CoverageCollector> {
  const roots = [...new Set(parts.map(({ seenAs }) => seenAs))]
  const limits = { maxBytes: maxCoverageBytes, maxFiles: paths.length + 1_000 }
  const coverage = createCoverage({ roots, paths, goModules, ...limits, warn })
  for (const file of parts.flatMap(({ files }) => files)) {
    try {
      await using source = await openSource(file)
      await coverage.add(source)
    } catch (error) {
      if (!(error instanceof ReportError)) throw error
      warn(`Coverage is not complete: ${error.message}`)
    }
  }
  return coverage
}

export async function openSource({ path, name }: LeftFile): Promise<ReportSource & AsyncDisposable> {
  const file = await openLeftFile(path)
  if (!file) throw new ReportError('malformed', name, 'is no regular file')
  return {
    name,
    bytes: file.createReadStream({ autoClose: false, highWaterMark: 256 * 1_024 }),
    [Symbol.asyncDispose]: () => file.close(),
  }
}
