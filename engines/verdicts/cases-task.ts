import { join } from 'node:path/posix'
import { batchSender } from '../processes/batches.ts'
import { classFiles } from '../reports/class-files.ts'
import { readReport } from '../reports/read-report.ts'
import { ReportError, reportLimits, type TestCase } from '../reports/report.ts'
import { openReportFile } from '../reports/report-file.ts'
import { noTests, type Totals } from '../reports/totals.ts'
import { explainFailure } from './failure-kind.ts'
import type { OutcomeCase } from './outcome.ts'
import { type CasesEnd, type CasesInput, type CasesWork, lengthOf } from './read-cases.ts'

const maxWarnings = 20

/** The task of `readCasesApart`. */
const work: CasesWork = async ({ file, maxCases, maxLength, ...input }, { ask, shared: paths }) => {
  const warnings = new Set<string>()
  const warn = (text: string) => void (warnings.size < maxWarnings && warnings.add(text))
  const batches = batchSender(ask)
  const totals: Totals = { ...noTests }
  const outcomeCase = outcomeCases(input, paths)
  let problem: CasesEnd['problem'] = null
  let count = 0
  let length = 0
  try {
    await using source = await openReportFile(file)
    const { cases } = await readReport(source, { ...input, limits: reportLimits, warn })
    for await (const batch of cases) {
      const kept: OutcomeCase[] = []
      for (const test of batch) {
        totals.totalTests++
        totals[`${test.status}Tests`]++
        if (count >= maxCases || length > maxLength) continue
        const made = outcomeCase(test)
        count++
        length += lengthOf(made)
        kept.push(made)
      }
      if (kept.length > 0) await batches.send(JSON.stringify(kept))
    }
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    problem = { code: error.code, file: error.file, line: error.line, problem: error.problem }
  }
  await batches.finish()
  return { totals, warnings: [...warnings], problem }
}

export default work

interface Known {
  files: ReadonlySet<string>
  withClassFile: (test: TestCase) => TestCase
}

const known = new WeakMap<readonly string[], Known>()

/** Keeps what is known of the paths for all reports of one commit. */
function knownOf(paths: readonly string[]): Known {
  let found = known.get(paths)
  if (!found) known.set(paths, (found = { files: new Set(paths), withClassFile: classFiles(paths) }))
  return found
}

function outcomeCases(
  { framework, directory, root, testPath }: Omit<CasesInput, 'file' | 'maxCases' | 'maxLength'>,
  paths: readonly string[],
): (test: TestCase) => OutcomeCase {
  const { files, withClassFile } = knownOf(paths)
  // Runners that are started in another folder report a longer path.
  const ownName = (file: string | null) =>
    testPath !== null && file?.endsWith(`/${testPath}`) && !files.has(file) ? testPath : file
  return (reported) => {
    const placed = { ...reported, file: reported.file === null ? null : join(directory, reported.file) }
    const test = withClassFile(placed)
    const { suite, name, line, status, durationMs, message, failure, attempts } = test
    const file = ownName(test.file)
    const explained =
      status === 'failed'
        ? explainFailure({ framework, test, root, directory, files, testPath: testPath ?? file })
        : { kind: null, place: null, testLines: [] }
    const isRetried = status === 'passed' && attempts.some((attempt) => attempt.status === 'failed')
    return {
      suite,
      name,
      file,
      ...(line !== null && { line }),
      status,
      ...(isRetried && { passedOnRetry: true }),
      durationMs,
      message,
      failure,
      ...explained,
    }
  }
}
