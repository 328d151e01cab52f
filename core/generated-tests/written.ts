import type { AiAvoided, TestType } from '../ai/schema.ts'
import type { Context } from '../base/context.ts'
import type { VerificationTarget } from '../../engines/verdicts/schema.ts'

const maxListed = 50

/** Lists the earlier generated tests for this code, newest first. A new test should test something else. */
export async function loadWritten(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  { path, symbol }: VerificationTarget,
): Promise<AiAvoided[]> {
  const rows = await db.query<{ testType: TestType; description: string }[]>(
    `SELECT test_type AS "testType", description FROM generated_tests
      WHERE project_id = $1 AND target ->> 'path' = $2 AND target ->> 'symbol' IS NOT DISTINCT FROM $3
      ORDER BY id DESC LIMIT ${maxListed}`,
    [projectId, path, symbol ?? null],
  )
  return rows.map(({ testType, description }) => ({
    file_path: path,
    ...(symbol === undefined ? {} : { symbol }),
    test_type: testType,
    description: description.slice(0, 2_000),
  }))
}
