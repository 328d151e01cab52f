import { type Codeowners, ownersOf, readCodeowners } from '../../../engines/owners/codeowners.ts'
import type { Context } from '../../base/context.ts'

/** Returns a function that names the owners of a file, by the CODEOWNERS file of the project's branch as read last. */
export async function loadOwners(
  { db }: Pick<Context, 'db'>,
  projectId: string,
): Promise<(file: string | null) => string[]> {
  const [row] = await db.query<{ content: string | null }[]>('SELECT content FROM codeowners WHERE project_id = $1', [
    projectId,
  ])
  return row?.content == null ? () => [] : ownersBy(readCodeowners(row.content))
}

/** Comparisons for all files of a project: a second. Files that are usual need less than a tenth. */
const maxComparisons = 50_000_000

function ownersBy(codeowners: Codeowners): (file: string | null) => string[] {
  const budget = { left: maxComparisons }
  const known = new Map<string, string[]>()
  return (file) => {
    if (file === null) return []
    let owners = known.get(file)
    if (owners === undefined) known.set(file, (owners = ownersOf(codeowners, file, budget)?.owners ?? []))
    return owners
  }
}

/** Names the owners of all tests of a project anew, in the caller's transaction. */
export async function storeOwners(tx: Pick<Context, 'db'>, projectId: string): Promise<void> {
  const owners = await loadOwners(tx, projectId)
  const rows = await tx.db.query<{ file: string }[]>(
    'SELECT DISTINCT file FROM tests WHERE project_id = $1 AND file IS NOT NULL',
    [projectId],
  )
  await tx.db.query(
    `UPDATE tests AS t SET owners = ARRAY(SELECT jsonb_array_elements_text(w.owners))
       FROM jsonb_to_recordset($2) AS w (file text, owners jsonb)
      WHERE t.project_id = $1 AND t.file = w.file AND to_jsonb(t.owners) <> w.owners`,
    [projectId, JSON.stringify(rows.map(({ file }) => ({ file, owners: owners(file) })))],
  )
}
