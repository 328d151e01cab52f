import { type Context, inTransaction } from '../base/context.ts'
import { conflict, invalid } from '../base/errors.ts'
import { lockOwnProject } from '../projects/get.ts'
import { noSuchTest } from '../quarantine/find-test.ts'
import { moveQuarantines } from '../quarantine/move.ts'
import { requestTestHealth } from '../test-runs/request-health.ts'
import { getTest } from './get.ts'
import type { MergeTests, TestDetail } from './schema.ts'

/**
 * Adds the history of a test under its earlier name to the test under its new one, for all variants, with its quarantine
 * and its confirmed fixes. A repeated call changes nothing.
 */
export async function mergeTests(ctx: Context, input: MergeTests): Promise<TestDetail> {
  const { projectId, from, into } = input
  if (from === into)
    throw invalid(
      'The two tests are the same one. Name the test under its earlier name, then the one under its new name.',
    )
  await inTransaction(ctx, async (tx) => {
    const project = await lockOwnProject(tx, projectId, 'member')
    const rows = await tx.db.query<{ testId: string; mergedInto: string | null }[]>(
      `SELECT DISTINCT test_id AS "testId", merged_into AS "mergedInto" FROM tests
        WHERE project_id = $1 AND test_id IN ($2, $3)`,
      [project.id, from, into],
    )
    const source = rows.find(({ testId }) => testId === from)
    const target = rows.find(({ testId }) => testId === into)
    if (!source || !target) throw noSuchTest()
    if (source.mergedInto === into) return
    if (source.mergedInto !== null)
      throw conflict('The test under its earlier name was already merged into another one.')
    if (target.mergedInto !== null)
      throw conflict('The test under its new name was itself merged into another one. Merge into that one.')
    await requireApart(tx, project.id, from, into)
    // Tests that were merged into `from` follow it.
    await tx.db.query(
      'UPDATE tests SET merged_into = $3 WHERE project_id = $1 AND (test_id = $2 OR merged_into = $2)',
      [project.id, from, into],
    )
    await moveQuarantines(tx, project.id, { from, into })
    // A fix that was confirmed under the earlier name closes what that history opened.
    await tx.db.query('UPDATE test_confirmations SET test_id = $3 WHERE project_id = $1 AND test_id = $2', [
      project.id,
      from,
      into,
    ])
    await requestTestHealth(tx, project.id, into)
  })
  return getTest(ctx, { projectId, testId: into })
}

/** SQL of the ids of a test and of those that were merged into it. */
const namesOf = (test: string) =>
  `SELECT ${test}::uuid UNION SELECT test_id FROM tests WHERE project_id = $1 AND merged_into = ${test}`

/** Two tests that ran together are not one test under two names. */
async function requireApart({ db }: Context, projectId: string, from: string, into: string): Promise<void> {
  const together = await db.query<unknown[]>(
    `SELECT FROM test_results AS one
       JOIN test_results AS other ON other.run_id = one.run_id
       JOIN test_runs AS run ON run.id = one.run_id AND run.project_id = $1
      WHERE one.test_id = ANY (ARRAY(${namesOf('$2')})) AND other.test_id = ANY (ARRAY(${namesOf('$3')})) LIMIT 1`,
    [projectId, from, into],
  )
  if (together.length > 0) throw conflict('A run contains both tests, so they are not one test under two names.')
}
