import type { CaseOutcome } from '../../../engines/analysis/schema.ts'
import type { ChangedFile, ChangeFacts } from '../../../engines/verdicts/change/facts.ts'
import type { Context } from '../../base/context.ts'

interface KnownCase {
  path: string
  line: number
  condition: string
  outcome: CaseOutcome
  result: string | null
}

const maxCases = 2_000

/**
 * Loads the cases of the changed code that no test is known to run, from the latest analysis of exactly this commit. A
 * snapshot is a commit, too. Never starts an analysis.
 */
export async function knownCases(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  commitSha: string,
  files: readonly ChangedFile[],
): Promise<ChangeFacts['cases']> {
  const paths = files.flatMap(({ path, kind, change }) => (kind === 'code' && change !== 'deleted' ? path : []))
  if (paths.length === 0) return new Map()
  const found = await db.query<KnownCase[]>(
    `SELECT c.path, one.line, one.condition, one.outcome, one.result
       FROM (SELECT result FROM analyses WHERE project_id = $1 AND commit_sha = $2 AND status = 'completed'
              ORDER BY id DESC LIMIT 1) AS latest,
            jsonb_to_recordset(coalesce(latest.result -> 'testCandidates', '[]')) AS c(path text, cases jsonb),
            jsonb_to_recordset(coalesce(c.cases, '[]'))
              AS one(line int, condition text, outcome text, result text, covered boolean)
      WHERE c.path = ANY($3::text[]) AND one.covered IS NOT TRUE
      ORDER BY c.path, one.line LIMIT ${maxCases}`,
    [projectId, commitSha, paths],
  )
  const cases = Map.groupBy(found, ({ path }) => path)
  return new Map(
    [...cases].map(([path, ofFile]) => [
      path,
      ofFile.map(({ line, condition, outcome, result }) => ({ line, text: textOf({ condition, outcome, result }) })),
    ]),
  )
}

/** `percent > 100: throws RangeError` */
const textOf = ({ condition, outcome, result }: Pick<KnownCase, 'condition' | 'outcome' | 'result'>) =>
  `${condition}: ${outcome.replaceAll('_', ' ')}${result === null ? '' : ` ${result}`}`.slice(0, 300)
