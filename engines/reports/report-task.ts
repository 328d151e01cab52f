import { join } from 'node:path/posix'
import { itemSender } from '../processes/batches.ts'
import { classFiles } from './class-files.ts'
import { type CaseFields, fieldsOf } from './read-case.ts'
import { failureOf, type FingerprintOptions, repositoryRoots } from './failure-text.ts'
import { fingerprintOf } from './fingerprint.ts'
import { readReport } from './read-report.ts'
import { ReportError, reportLimits, type TestCase } from './report.ts'
import { openReportFile } from './report-file.ts'
import type { ReportEnd, ReportWork } from './read-apart.ts'
import type { ReadCase } from './read-case.ts'

const maxWarnings = 100

/** The task of `readReportApart`. */
const work: ReportWork = async ({ file, directory, omitFileEntries, ...options }, { ask, shared: paths }) => {
  const warnings = new Set<string>()
  const warn = (text: string) => void (warnings.size < maxWarnings && warnings.add(text))
  const cases = itemSender<CaseFields>(ask, lengthOf)
  const place = placing(directory, paths)
  const withErrorId = identifying({ roots: repositoryRoots(options.roots, directory), directory })
  let problem: ReportEnd['problem'] = null
  let unpackedBytes = 0
  try {
    await using source = await openReportFile(file)
    try {
      const report = await readReport(source, { ...options, limits: reportLimits, warn })
      for await (const batch of report.cases) {
        for (const test of batch) {
          if (omitFileEntries !== true || !isFileEntry(test)) await cases.add(fieldsOf(withErrorId(place(test))))
        }
      }
    } finally {
      unpackedBytes = source.unpackedBytes()
    }
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    problem = { code: error.code, file: error.file, line: error.line, problem: error.problem }
  }
  await cases.finish()
  return { warnings: [...warnings], problem, unpackedBytes }
}

export default work

const identifying =
  (options: FingerprintOptions) =>
  (test: TestCase): ReadCase => {
    const failure = failureOf(test)
    return failure === null ? test : { ...test, errorId: fingerprintOf(failure, options).id }
  }

const lengthOf = ([suite, name, , , , , message, stack, attempts]: CaseFields) =>
  100 + suite.length + name.length + (message?.length ?? 0) + (stack?.length ?? 0) + lengthOfAttempts(attempts)

const lengthOfAttempts = (attempts: TestCase['attempts']) =>
  attempts.reduce((sum, { stack }) => sum + 1_000 + (stack?.length ?? 0), 0)

/** Whether node:test reports a file as passed although its filter selected no test in it. */
const isFileEntry = ({ name, file, status }: TestCase) =>
  status === 'passed' && file !== null && (file === name || file.endsWith(`/${name}`))

const finders = new WeakMap<readonly string[], ReturnType<typeof classFiles>>()

/** Converts file names that are relative to the working directory of the tests to paths in the repository. */
function placing(directory: string | undefined, paths: readonly string[] | undefined): (test: TestCase) => TestCase {
  if (directory === undefined || paths === undefined) return (test) => test
  let withClassFile = finders.get(paths)
  if (!withClassFile) finders.set(paths, (withClassFile = classFiles(paths)))
  const find = withClassFile
  return (test) => find({ ...test, file: test.file === null ? null : join(directory, test.file) })
}
