import { join } from 'node:path'
import { testIdentities } from '../../../engines/reports/identity.ts'
import { readReportApart } from '../../../engines/reports/read-apart.ts'
import type { ReadCase } from '../../../engines/reports/read-case.ts'
import { findResults, readReports, seenFrom } from '../../workspaces/results.ts'
import type { TaskRunner } from '../../../engines/processes/tasks.ts'
import type { GoModule } from '../../../engines/test-plan/go-modules.ts'
import type { Context } from '../../base/context.ts'
import type { TestedPart } from '../../workspaces/run-parts.ts'

/** A run whose commands have ended. */
export interface TestedRun {
  ctx: Context
  runner: TaskRunner
  tested: readonly TestedPart[]
  paths: readonly string[]
  goModules: readonly GoModule[]
  mask: (text: string) => string
}

/** A test that ran and that the project did not have before. */
export interface NewTest {
  testId: string
  suite: string
  name: string
  file: string | null
  /** The index of its part. */
  part: number
  passed: boolean
  failures: RepeatedFailure[]
}

export interface RepeatedFailure {
  message: string | null
  durationMs: number | null
  /** Where it failed, if that is known. */
  place: { file: string; line: number } | null
}

/** More new tests are not repeated: they are a new suite, or names that change from run to run. */
const maxNewTests = 200

/** Returns the tests in the reports of a run that the project did not have before; none for the first run of a project. */
export async function findNewTests(run: TestedRun, projectId: string): Promise<NewTest[]> {
  const { db } = run.ctx
  const [{ known }] = await db.query<[{ known: boolean }]>(
    'SELECT EXISTS (SELECT FROM tests WHERE project_id = $1) AS known',
    [projectId],
  )
  if (!known) return []
  const tests = await readTests(run)
  const rows = await db.query<{ testId: string }[]>(
    `SELECT w.test_id AS "testId" FROM unnest($2::uuid[]) AS w (test_id)
      WHERE NOT EXISTS (SELECT FROM tests WHERE project_id = $1 AND test_id = w.test_id) LIMIT ${maxNewTests + 1}`,
    [projectId, tests.map(({ testId }) => testId)],
  )
  if (rows.length > maxNewTests) return []
  const added = new Set(rows.map(({ testId }) => testId))
  return tests.filter(({ testId }) => added.has(testId))
}

/** Reads the names and outcomes of the tests with the ids that their results will have. */
async function readTests({ ctx, runner, tested, paths, goModules, mask }: TestedRun): Promise<NewTest[]> {
  const identities = testIdentities()
  const found: NewTest[] = []
  for (const [part, left] of tested.entries()) {
    const { directory } = left.part
    const input = {
      roots: [join(left.seenAs, directory), left.seenAs],
      goModules: seenFrom(directory, goModules),
      directory,
    }
    const { reports } = await findResults(left)
    await readReports(reports, left.part, async (file) => {
      for await (const batch of readReportApart(runner, { ...input, file }, paths, () => {})) {
        for (const test of batch) found.push({ ...namesOf(test, mask), part, ...outcomeOf(test, mask), testId: '' })
        ctx.signal.throwIfAborted()
      }
    })
  }
  for (const test of found) test.testId = identities.keyOf(test)
  const corrections = identities.corrections()
  return found.map((test) => ({ ...test, testId: corrections.get(test.testId) ?? test.testId }))
}

const namesOf = ({ suite, name, file }: ReadCase, mask: (text: string) => string) => ({
  suite: mask(suite),
  name: mask(name),
  file,
})

function outcomeOf({ status, message, durationMs, attempts }: ReadCase, mask: (text: string) => string) {
  const failed = attempts.filter((attempt) => attempt.status === 'failed')
  const own = status === 'failed' ? [{ message, durationMs }] : []
  const failures = [...failed, ...own].map((each) => ({
    message: each.message && mask(each.message),
    durationMs: each.durationMs,
    place: null,
  }))
  return { passed: status === 'passed', failures }
}
