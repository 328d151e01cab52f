import { storable } from '../base/repository-path.ts'
import type { Suggestion } from '../ai/schema.ts'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { newId } from '../base/ids.ts'
import { lockOwnProject } from '../projects/get.ts'
import { markOutdatedSuggestions } from '../analysis/outdated-suggestions.ts'
import { fingerprintOf } from './fingerprint.ts'

const maxOpen = 2_000

/**
 * Stores suggestions and returns them with their ids. A known open suggestion is updated and keeps its id, an outdated
 * one is opened again, and one that was accepted or dismissed meanwhile is omitted. A project keeps its latest 2,000 open
 * and outdated suggestions, and those that have a generated test or a verification.
 *
 * @param of.isSent - the caller sent the analysis, which may have code that was never committed
 * @param found.suggestions - best first, without duplicates
 */
export function storeSuggestions(
  ctx: Context,
  of: { projectId: string; commitSha: string; isSent: boolean },
  { suggestions, tokensUsed }: { suggestions: readonly Suggestion[]; tokensUsed: number | null },
): Promise<Suggestion[]> {
  return inTransaction(ctx, async (tx) => {
    // The lock prevents a deadlock between two calls for the same project.
    const { id: projectId } = await lockOwnProject(tx, of.projectId, 'member')
    const now = tx.now()
    const rows = suggestions
      // An analysis that the caller sent may have file names that Postgres cannot store.
      .filter(({ file_path: path }) => storable(path, path.length) === path)
      .map((suggestion) => ({ fingerprint: fingerprintOf(subjectOf(suggestion)), suggestion }))
    const added = withIds(rows, now)
    const stored = await tx.db.query<{ id: string; fingerprint: string }[]>(
      `INSERT INTO suggestions AS known (id, project_id, user_id, commit_sha, file_path, test_type, description,
                                         rationale, example_code, target, case_ids, cases, more_cases, through,
                                         fingerprint, status, created_at, updated_at, token_id)
       SELECT s.id, $2, $3, $4, s.file_path, s.test_type, s.description, s.rationale, s.example_code, s.target,
              s.case_ids, s.cases, s."moreCases", s.through, s.fingerprint, 'open', $5, $5, $6
         FROM jsonb_to_recordset($1::jsonb) AS s(id text, file_path text, test_type text, description text,
                                                 rationale text, example_code text, target jsonb, case_ids jsonb,
                                                 cases jsonb, "moreCases" int, through jsonb, fingerprint text)
       ON CONFLICT (project_id, fingerprint) DO UPDATE
         SET commit_sha = excluded.commit_sha, description = excluded.description, rationale = excluded.rationale,
             example_code = excluded.example_code, target = excluded.target, case_ids = excluded.case_ids,
             cases = excluded.cases, more_cases = excluded.more_cases, through = excluded.through, status = 'open',
             updated_at = excluded.updated_at
         WHERE known.status IN ('open', 'outdated')
       RETURNING id, fingerprint`,
      [JSON.stringify(added), projectId, requireUser(ctx).userId, of.commitSha, now, tokenIdOf(ctx)],
    )
    await storeUsage(tx, tokensUsed, stored, added)
    await tx.db.query(
      `DELETE FROM suggestions WHERE id IN (
         SELECT id FROM suggestions AS s
          WHERE project_id = $1 AND status IN ('open', 'outdated')
            AND NOT EXISTS (SELECT FROM generated_tests WHERE suggestion_id = s.id)
            AND NOT EXISTS (SELECT FROM verifications WHERE suggestion_id = s.id)
          ORDER BY updated_at DESC, id DESC OFFSET ${maxOpen})`,
      [projectId],
    )
    // An analysis may have ended since the suggestions were made.
    if (!of.isSent) await markOutdatedSuggestions(tx, projectId)
    const ids = new Map(stored.map(({ id, fingerprint }) => [fingerprint, id]))
    return rows.flatMap(({ fingerprint, suggestion }) => {
      const id = ids.get(fingerprint)
      return id === undefined ? [] : [{ ...suggestion, id }]
    })
  })
}

/** Stores what a call used once: with its best new suggestion, or with one that it found again. */
async function storeUsage(
  { db }: Pick<Context, 'db'>,
  tokensUsed: number | null,
  stored: readonly { id: string }[],
  added: readonly { id: string }[],
): Promise<void> {
  const isStored = new Set(stored.map(({ id }) => id))
  const first = added.findLast(({ id }) => isStored.has(id)) ?? stored[0]
  if (tokensUsed === null || !first) return
  await db.query('UPDATE suggestions SET tokens_used = coalesce(tokens_used, 0) + $2 WHERE id = $1', [
    first.id,
    tokensUsed,
  ])
}

export function subjectOf({ file_path: filePath, test_type: testType, target }: Suggestion) {
  return { filePath, symbol: target?.symbol ?? null, testType }
}

/** Gives the best suggestion the newest id, because lists show the newest first. */
function withIds(rows: readonly { fingerprint: string; suggestion: Suggestion }[], now: Date) {
  return rows.toReversed().map(({ fingerprint, suggestion }) => ({ ...suggestion, fingerprint, id: newId(now) }))
}
