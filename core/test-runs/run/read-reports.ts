import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { classFiles } from '../../../engines/reports/class-files.ts'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { readReport } from '../../../engines/reports/read-report.ts'
import { ReportError, reportLimits, type TestCase } from '../../../engines/reports/report.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import type { LeftFile } from '../../workspaces/left-files.ts'
import { type LeftBehind, type ReaderOptions, readReports, seenFrom } from '../../workspaces/results.ts'
import { correctIdentities, storeResults } from '../results/store-results.ts'

/** Reads reports into the results of a run, in the caller's transaction. Skips unreadable reports and lists them. */
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
    const roots = [join(left.seenAs, left.part.directory), left.seenAs]
    const options = { roots, limits: reportLimits, warn, goModules: seenFrom(left.part.directory, goModules) }
    const { problems, empty } = await readReports(files, left.part, async (source) => {
      await tx.db.query('SAVEPOINT report')
      try {
        const { cases } = await readReport(source, options)
        const own = isFilteredByName(left.part.test.argv) ? withoutFiles(cases) : cases
        const placed = inDirectory(masked(own, mask), left.part.directory, withClassFile)
        const added = await storeResults(tx, { id: runId, position, identify: identities.keyOf }, placed)
        position += added.totalTests
        for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += added[name]
      } catch (error) {
        if (error instanceof ReportError) await tx.db.query('ROLLBACK TO SAVEPOINT report')
        throw error
      }
    })
    return { totals, problems, empty }
  }
  /** Call it after all reports are read. */
  const finish = () => correctIdentities(tx, runId, identities)
  return { read, finish }
}

const isFilteredByName = (argv: readonly string[]) => argv.some((word) => word.startsWith('--test-name-pattern='))

/** Omits the entries with which node:test reports a file as passed although its filter selected no test in it. */
async function* withoutFiles(batches: AsyncIterable<readonly TestCase[]>) {
  const isFile = ({ name, file, status }: TestCase) =>
    status === 'passed' && file !== null && (file === name || file.endsWith(`/${name}`))
  for await (const batch of batches) yield batch.filter((test) => !isFile(test))
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

/** Converts file names that are relative to the working directory of the tests to paths in the repository. */
async function* inDirectory(
  batches: AsyncIterable<readonly TestCase[]>,
  directory: string,
  withClassFile: (test: TestCase) => TestCase,
) {
  for await (const batch of batches) {
    yield batch.map((test) => withClassFile({ ...test, file: test.file === null ? null : join(directory, test.file) }))
  }
}
