import type { Context } from '../base/context.ts'
import { plainText } from '../../engines/reports/text.ts'
import type { ActivityEntry, ActivityKind } from './schema.ts'

/** An entry of the timeline, without its contents. */
export interface EntryKey {
  kind: ActivityKind
  id: string
  subjectId: string
  at: Date
  /** The entry is about the end of a suggestion or of a generated test, and not about its beginning. */
  isEnd: boolean
}

interface Row {
  kind: ActivityKind
  id: string
  title: string
  status: ActivityEntry['status']
  verdict: string | null
  outcome: string | null
  source: ActivityEntry['source']
  userId: string | null
  tokenId: string | null
  endedBy: string | null
  endedByToken: string | null
  tokensUsed: number | null
  endedAt: Date | null
}

const noEnd = 'NULL AS "endedBy", NULL AS "endedByToken"'
const shortCommit = (column: string) => `left(${column}, 12)`
const ofSnapshot = `CASE WHEN snapshot_id IS NOT NULL THEN 'snapshot' END`

const judged = (table: string, title: string) => `
  SELECT id, ${title} AS title, status, verdict, coalesce(evidence ->> 'summary', error ->> 'message') AS outcome,
         NULL AS source, user_id AS "userId", token_id AS "tokenId", ${noEnd}, NULL::int AS "tokensUsed",
         completed_at AS "endedAt"
    FROM ${table} WHERE id = ANY ($1)`

/** For each kind a query that returns the contents of its entries. */
const contents: Record<ActivityKind, string> = {
  analysis: `
    SELECT id, coalesce(branch, requested_branch, ${ofSnapshot}, ${shortCommit('coalesce(commit_sha, requested_commit)')},
                        'default branch') AS title,
           status, NULL AS verdict,
           coalesce(error ->> 'message', CASE WHEN status = 'completed' THEN
             format('%s files analyzed, %s candidates for tests.', files_analyzed, test_candidates) END) AS outcome,
           NULL AS source, user_id AS "userId", token_id AS "tokenId", ${noEnd}, NULL::int AS "tokensUsed",
           completed_at AS "endedAt"
      FROM analyses WHERE id = ANY ($1)`,
  suggestion: `
    SELECT id, concat_ws(' > ', file_path, target ->> 'symbol') AS title, status, NULL AS verdict,
           description AS outcome, NULL AS source, user_id AS "userId", token_id AS "tokenId",
           resolved_by AS "endedBy", resolved_by_token AS "endedByToken", tokens_used AS "tokensUsed",
           resolved_at AS "endedAt"
      FROM suggestions WHERE id = ANY ($1)`,
  generated_test: `
    SELECT id, file_path AS title, CASE WHEN dismissed_at IS NULL THEN 'generated' ELSE 'dismissed' END AS status,
           verdict, description AS outcome, NULL AS source, user_id AS "userId", token_id AS "tokenId",
           dismissed_by AS "endedBy", dismissed_by_token AS "endedByToken", tokens_used AS "tokensUsed",
           dismissed_at AS "endedAt"
      FROM generated_tests WHERE id = ANY ($1)`,
  verification: judged('verifications', 'file_path'),
  change: judged('changes', `concat_ws(' against ', coalesce(head, ${ofSnapshot}, 'change'), base)`),
  strength: judged(
    'strength_measurements',
    `coalesce(nullif(array_to_string(ARRAY(SELECT jsonb_array_elements_text(paths) LIMIT 3), ', '), ''), branch,
              ${ofSnapshot}, ${shortCommit('commit_sha')}, 'all code')`,
  ),
  run: `
    SELECT id, concat_ws(', ', coalesce(branch, ${ofSnapshot}, 'pull request ' || pull_request,
                                        ${shortCommit('commit_sha')}, 'default branch'), name) AS title,
           CASE WHEN status = 'FAILED' THEN 'error' WHEN status <> 'COMPLETED' THEN lower(status)
                WHEN failed_tests = 0 THEN 'passed' ELSE 'failed' END AS status,
           NULL AS verdict,
           coalesce(error ->> 'message', CASE WHEN status <> 'COMPLETED' THEN NULL
             WHEN failed_tests > 0 THEN format('%s of %s tests failed.', failed_tests, total_tests)
             ELSE format('%s tests passed.', passed_tests) END) AS outcome,
           source,
           -- The code host triggered it: the user is only the one whose account reads the repository.
           CASE WHEN source NOT IN ('push', 'pull_request', 'release') THEN user_id END AS "userId",
           token_id AS "tokenId", ${noEnd}, NULL::int AS "tokensUsed", completed_at AS "endedAt"
      FROM test_runs WHERE id = ANY ($1)`,
  snapshot: `
    SELECT id, coalesce(branch, 'snapshot') AS title, 'stored' AS status, NULL AS verdict,
           format('%s files.', files) AS outcome, NULL AS source, user_id AS "userId", token_id AS "tokenId",
           ${noEnd}, NULL::int AS "tokensUsed", NULL::timestamptz AS "endedAt"
      FROM snapshots WHERE id = ANY ($1)`,
}

/** Loads the contents of entries, in the same order. An entry whose record was deleted meanwhile is left out. */
export async function loadEntries(ctx: Context, keys: readonly EntryKey[]): Promise<ActivityEntry[]> {
  if (keys.length === 0) return []
  const kinds = [...new Set(keys.map(({ kind }) => kind))]
  const rows = await ctx.db.query<Row[]>(
    kinds.map((kind) => `SELECT '${kind}' AS kind, ${kind}.* FROM (${contents[kind]}) AS ${kind}`).join(' UNION ALL '),
    [keys.map(({ subjectId }) => subjectId)],
  )
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  const nameOf = await findNames(ctx, rows)
  return keys.flatMap((key) => {
    const row = rowOf.get(key.subjectId)
    return row ? [present(key, row, nameOf)] : []
  })
}

type Names = (userId: string | null, tokenId: string | null) => ActivityEntry['by']

async function findNames({ db }: Context, rows: readonly Row[]): Promise<Names> {
  const ids = (pick: (row: Row) => (string | null)[]) => [...new Set(rows.flatMap(pick).filter((id) => id !== null))]
  const named = await db.query<{ id: string; name: string }[]>(
    `SELECT id, name FROM users WHERE id = ANY ($1)
     UNION ALL SELECT id, name FROM api_tokens WHERE id = ANY ($2)`,
    [ids((row) => [row.userId, row.endedBy]), ids((row) => [row.tokenId, row.endedByToken])],
  )
  const names = new Map(named.map(({ id, name }) => [id, name]))
  return (userId, tokenId) => {
    const name = userId === null ? undefined : names.get(userId)
    if (userId === null || name === undefined) return null
    const tokenName = tokenId === null ? undefined : names.get(tokenId)
    const token = tokenId === null || tokenName === undefined ? null : { id: tokenId, name: tokenName }
    return { userId, name, token }
  }
}

function present({ kind, id, subjectId, at, isEnd }: EntryKey, row: Row, nameOf: Names): ActivityEntry {
  const entry = {
    id,
    kind,
    subjectId,
    title: line(row.title, 200),
    verdict: row.verdict,
    outcome: row.outcome === null ? null : sentence(row.outcome),
    source: row.source,
    at: at.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }
  if (!isEnd) return { ...entry, status: row.status, by: nameOf(row.userId, row.tokenId), tokensUsed: row.tokensUsed }
  // A suggestion that was accepted can be open again; a dismissed one cannot.
  const status = row.status === 'dismissed' ? 'dismissed' : 'accepted'
  return { ...entry, status, by: nameOf(row.endedBy, row.endedByToken), tokensUsed: null }
}

const maxSentence = 300

/** Returns a text as one line without control characters. */
function line(given: string, max: number): string {
  const text = plainText(given).replaceAll('\n', ' ').trim()
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}

/** Returns the first sentence of a text. */
function sentence(text: string): string | null {
  const [first = ''] = plainText(text).trim().split('\n', 1)
  const end = first.indexOf('. ')
  return line(end === -1 ? first : first.slice(0, end + 1), maxSentence) || null
}
