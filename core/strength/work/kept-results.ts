import type { z } from 'zod'
import type { Kept, MutantResults } from '../../../engines/strength/kept.ts'
import { mergeResults } from '../../../engines/strength/kept.ts'
import type { Context } from '../../base/context.ts'
import { storableJson } from '../../base/storable-json.ts'
import { digest } from '../../workspaces/digest.ts'
import { keptRows, type Kind } from './kept-schema.ts'

/** A larger row is not stored: what it says is measured every time. */
const maxRowBytes = 2 * 2 ** 20
const maxProjectBytes = 32 * 2 ** 20
const rowsAtOnce = 200

const none: MutantResults = { tests: [], mutants: [], unchecked: [] }

/** Loads what earlier measurements of a project found out about some files under one of the conditions. */
export async function loadKept(
  ctx: Pick<Context, 'db'>,
  projectId: string,
  { conditions, paths }: { conditions: readonly string[]; paths: readonly string[] },
): Promise<Kept> {
  const rows = await ctx.db.query<{ kind: Kind; name: string; result: unknown }[]>(
    `SELECT kind, name, result FROM mutant_results
      WHERE project_id = $1 AND conditions = ANY($2::text[]) AND (kind <> 'code' OR name = ANY($3::text[]))
      ORDER BY conditions = ($2::text[])[1]`,
    [projectId, conditions, paths],
  )
  const of = <Row>(kind: Kind, schema: z.ZodType<Row>) =>
    rows.flatMap((row): Row[] => {
      const { data } = row.kind === kind ? schema.safeParse(row.result) : {}
      return data === undefined ? [] : [data]
    })
  return {
    tests: of('test', keptRows.test),
    others: of('others', keptRows.others),
    reaches: of('reach', keptRows.reach),
    results: resultsIn(rows.filter(({ kind }) => kind === 'code')),
  }
}

function resultsIn(rows: readonly { name: string; result: unknown }[]): Map<string, MutantResults> {
  const results = new Map<string, MutantResults>()
  for (const { name, result } of rows) {
    const own = keptRows.code.safeParse(result).data
    if (!own) continue
    const replaced = new Set(own.mutants.map(([key]) => key))
    results.set(name, mergeResults(results.get(name) ?? none, own, replaced))
  }
  return results
}

/** What a measurement found out. */
export interface ToStore {
  projectId: string
  conditions: string
  kept: Kept
  /** The mutants by path whose earlier results are replaced. */
  replaced: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Adds results to those of a project, and deletes the oldest. Stores nothing if the project was deleted. Of two
 * measurements that store results of the same file at the same time, one may be forgotten.
 *
 * @param stored - the names of rows that need not be written again, which it adds to
 */
export async function storeKept(
  ctx: Pick<Context, 'db' | 'now'>,
  { projectId, conditions, kept, replaced }: ToStore,
  stored: Set<string>,
): Promise<void> {
  const known = resultsIn(
    await ctx.db.query<{ name: string; result: unknown }[]>(
      `SELECT name, result FROM mutant_results
        WHERE project_id = $1 AND conditions = $2 AND kind = 'code' AND name = ANY($3::text[])`,
      [projectId, conditions, [...kept.results.keys()]],
    ),
  )
  // The same row can be known under several conditions.
  const toStore = new Map<string, { kind: Kind; name: string; json: string; mark: string }>()
  const add = (kind: Kind, name: string, json: string | null) => {
    if (json === null || json.length > maxRowBytes) return
    const mark = `${kind} ${name} ${['code', 'reach'].includes(kind) ? digest(json) : ''}`
    if (!stored.has(mark)) toStore.set(`${kind} ${name}`, { kind, name, json, mark })
  }
  for (const others of kept.others) add('others', others.key, storableJson(others))
  for (const test of kept.tests) add('test', test.key, storableJson(test))
  for (const reach of kept.reaches) add('reach', reach.key, storableJson(reach))
  for (const [path, results] of kept.results) {
    add('code', path, whatFits(known.get(path) ?? none, results, replaced.get(path) ?? new Set()))
  }
  const rows = [...toStore.values()]
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce)
    await ctx.db.query(
      `INSERT INTO mutant_results (project_id, conditions, kind, name, result, bytes, updated_at)
       SELECT p.id, $2, r.kind, r.name, r.json::jsonb, octet_length(r.json), $6
         FROM (SELECT id FROM projects WHERE id = $1 FOR KEY SHARE) AS p,
              unnest($3::text[], $4::text[], $5::text[]) AS r(kind, name, json)
        ORDER BY r.kind, r.name
       ON CONFLICT (project_id, conditions, kind, name)
         DO UPDATE SET result = excluded.result, bytes = excluded.bytes, updated_at = excluded.updated_at`,
      [
        projectId,
        conditions,
        some.map(({ kind }) => kind),
        some.map(({ name }) => name),
        some.map(({ json }) => json),
        ctx.now(),
      ],
    )
    for (const { mark } of some) stored.add(mark)
  }
  if (rows.length > 0) await deleteOldest(ctx, projectId)
}

/** Leaves out the oldest results of a file until the row is not too large. */
function whatFits(earlier: MutantResults, added: MutantResults, replaced: ReadonlySet<string>): string | null {
  for (let maximum: number | undefined; maximum !== 0;) {
    const merged = mergeResults(earlier, added, replaced, maximum)
    const json = storableJson(merged)
    if (json.length <= maxRowBytes) return json
    maximum = Math.floor(merged.mutants.length / 2)
  }
  return null
}

/** Deletes in the order in which rows are written, so that two measurements do not wait for each other. */
async function deleteOldest({ db }: Pick<Context, 'db'>, projectId: string): Promise<void> {
  await db.query(
    `WITH oldest AS (
       SELECT conditions, kind, name FROM (
         SELECT conditions, kind, name, sum(bytes) OVER (ORDER BY updated_at DESC, conditions, kind, name) AS total
           FROM mutant_results WHERE project_id = $1) AS summed
        WHERE total > $2),
     locked AS (
       SELECT conditions, kind, name FROM mutant_results
        WHERE project_id = $1 AND (conditions, kind, name) IN (SELECT conditions, kind, name FROM oldest)
        ORDER BY conditions, kind, name FOR UPDATE)
     DELETE FROM mutant_results
      WHERE project_id = $1 AND (conditions, kind, name) IN (SELECT conditions, kind, name FROM locked)`,
    [projectId, maxProjectBytes],
  )
}
