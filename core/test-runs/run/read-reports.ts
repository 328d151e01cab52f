import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../base/context.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import { errorIdsOf } from '../../../engines/reports/describe-failures.ts'
import { failureOf, type FingerprintOptions, repositoryRoots } from '../../../engines/reports/failure-text.ts'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { readReportApart } from '../../../engines/reports/read-apart.ts'
import type { ReadCase } from '../../../engines/reports/read-case.ts'
import { ReportError } from '../../../engines/reports/report.ts'
import { noTests, type Totals } from '../../../engines/reports/totals.ts'
import type { LeftFile } from '../../workspaces/left-files.ts'
import { type LeftBehind, type ReaderOptions, readReports, seenFrom } from '../../workspaces/results.ts'
import { storeTestFiles } from '../results/store-files.ts'
import { correctIdentities, storeResults } from '../results/store-results.ts'

export interface Runners {
  /** For the reports. */
  background: TaskRunner
  /** For short tasks while a report is read. */
  interactive: TaskRunner
}

/** Reads reports into the results of a run, in the caller's transaction. Skips unreadable reports and lists them. */
export function resultReader(
  tx: Pick<Context, 'db' | 'signal'>,
  runners: Runners,
  runId: string,
  { paths, goModules, mask, warn }: ReaderOptions,
) {
  const identities = testIdentities()
  let position = 0
  const read = async (files: readonly LeftFile[], left: Pick<LeftBehind, 'part' | 'seenAs'>) => {
    const totals = { ...noTests }
    const { directory, test } = left.part
    const input = {
      roots: [join(left.seenAs, directory), left.seenAs],
      goModules: seenFrom(directory, goModules),
      directory,
      omitFileEntries: isFilteredByName(test.argv),
    }
    const { problems, empty } = await readReports(files, left.part, async (file) => {
      await tx.db.query('SAVEPOINT report')
      try {
        const read = readReportApart(runners.background, { ...input, file }, paths, warn)
        const cases = masked(runners, read, mask, { roots: repositoryRoots(input.roots, directory), directory })
        const added = await storeResults(
          tx,
          { id: runId, position, variant: directory, identify: identities.keyOf },
          cases,
        )
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
  const finish = async () => {
    await correctIdentities(tx, runId, identities)
    await storeTestFiles(tx, runId)
  }
  return { read, finish }
}

const isFilteredByName = (argv: readonly string[]) => argv.some((word) => word.startsWith('--test-name-pattern='))

async function* masked(
  { interactive }: Runners,
  batches: AsyncIterable<readonly ReadCase[]>,
  mask: (text: string) => string,
  options: FingerprintOptions,
): AsyncGenerator<readonly ReadCase[]> {
  const hide = (text: string | null) => text && mask(text)
  for await (const batch of batches) {
    const hidden = batch.map((test) => ({
      ...test,
      suite: mask(test.suite),
      name: mask(test.name),
      message: hide(test.message),
      stack: hide(test.stack),
      attempts: test.attempts.map(({ stack, ...attempt }) => ({
        ...attempt,
        message: hide(attempt.message),
        ...(stack !== undefined && { stack: mask(stack) }),
      })),
    }))
    const changed = hidden.flatMap((test, index) => {
      const failure = failureOf(test)
      const before = failureOf(batch[index] ?? test)
      return failure !== null && !isDeepStrictEqual(failure, before) ? [{ test, failure }] : []
    })
    if (changed.length > 0) {
      // The id must not tell anything about the secret, and must not change with it.
      const failures = changed.map(({ failure }) => failure)
      const errorIds = await errorIdsOf(interactive, failures, options)
      for (const [index, { test }] of changed.entries()) Object.assign(test, { errorId: errorIds[index] })
    }
    yield hidden
  }
}
