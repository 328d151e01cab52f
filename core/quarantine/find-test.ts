import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'

interface FoundTest {
  testId: string
  variant: string
  suite: string
  name: string
  file: string | null
}

/** SQL of the id under which the test `$2` of the project `$1` is judged. */
export const mergedTest = `
  coalesce((SELECT merged_into FROM tests WHERE project_id = $1 AND test_id = $2 AND merged_into IS NOT NULL LIMIT 1), $2)`

/** SQL of the ids under which results of the test `$2` are reported: its own, and those that were merged into it. */
const namesOfTest = `
  SELECT ${mergedTest} UNION SELECT test_id FROM tests WHERE project_id = $1 AND merged_into = ${mergedTest}`

const maxNamed = 10

/**
 * Finds a test of a project, also one whose health was not judged yet, and for a merged test the one that it was merged
 * into. Without a variant, finds the one that needs attention most.
 *
 * @throws AppError 404
 */
export async function findTest(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  testId: string,
  variant: string | undefined,
): Promise<FoundTest> {
  const columns = 'test_id AS "testId", variant, suite, name, file'
  const [judged] = await db.query<FoundTest[]>(
    `SELECT ${columns} FROM tests WHERE project_id = $1 AND test_id = ${mergedTest} AND ($3::text IS NULL OR variant = $3)
      ORDER BY array_position(ARRAY['broken', 'flaky', 'new', 'healthy', 'stale'], health), variant LIMIT 1`,
    [projectId, testId, variant ?? null],
  )
  if (judged) return judged
  const [reported] = await db.query<FoundTest[]>(
    `SELECT r.* FROM (SELECT id FROM test_runs WHERE project_id = $1 AND status = 'COMPLETED' ORDER BY id DESC LIMIT 20) AS run
      CROSS JOIN LATERAL (
        SELECT ${mergedTest} AS "testId", result.variant, coalesce(t.suite, result.suite) AS suite,
               coalesce(t.name, result.name) AS name, coalesce(t.file, result.file) AS file
          FROM test_results AS result
          LEFT JOIN LATERAL (
            SELECT suite, name, file FROM tests WHERE project_id = $1 AND test_id = ${mergedTest} LIMIT 1) AS t ON true
         WHERE run_id = run.id AND result.test_id = ANY (ARRAY(${namesOfTest})) AND ($3::text IS NULL OR result.variant = $3) LIMIT 1) AS r
      LIMIT 1`,
    [projectId, testId, variant ?? null],
  )
  if (reported) return reported
  const others = await db.query<{ variant: string; count: number }[]>(
    `SELECT variant, count(*) OVER ()::int AS count FROM tests WHERE project_id = $1 AND test_id = ${mergedTest}
      ORDER BY variant LIMIT ${maxNamed}`,
    [projectId, testId],
  )
  throw noSuchTest(
    others.map((other) => other.variant),
    others[0]?.count,
  )
}

/** @param variants - some of the `count` that the test has, if only the wanted one is unknown */
export function noSuchTest(variants: readonly string[] = [], count: number = variants.length) {
  const hint = procedureHint('tests.list')
  if (variants.length === 0) return notFound('test', 'tests.list lists the tests of a project.', hint)
  const names = variants.slice(0, maxNamed).map((variant) => variant || 'an unnamed one')
  if (count > maxNamed) names.push(`and ${count - maxNamed} others`)
  return notFound('variant', `The test has ${names.length > 1 ? 'these' : 'only'}: ${names.join(', ')}.`, hint)
}
