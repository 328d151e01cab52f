import { type Codeowners, ownersOf, readCodeowners } from '../../../engines/owners/codeowners.ts'
import type { Context } from '../../base/context.ts'

/** Returns a function that names the owners of a file, by the CODEOWNERS file of the project's branch as read last. */
export async function loadOwners({ db }: Pick<Context, 'db'>, projectId: string): Promise<Owners> {
  const key = (digest: string) => `${projectId} ${digest}`
  const [stored] = await db.query<{ digest: string | null }[]>(
    'SELECT md5(content) AS digest FROM codeowners WHERE project_id = $1',
    [projectId],
  )
  if (stored?.digest == null) return () => []
  const known = latest.get(key(stored.digest))
  if (known) return known
  const [row] = await db.query<{ digest: string; content: string }[]>(
    'SELECT md5(content) AS digest, content FROM codeowners WHERE project_id = $1 AND content IS NOT NULL',
    [projectId],
  )
  if (!row) return () => []
  const owners = ownersBy(readCodeowners(row.content))
  latest.set(key(row.digest), owners)
  const [oldest] = latest.keys()
  if (latest.size > maxLatest && oldest !== undefined) latest.delete(oldest)
  return owners
}

type Owners = (file: string | null) => string[]

/**
 * By the files that this process read last, with their projects. Reading a large file takes a second, and each batch of
 * tests asks for its owners.
 */
const latest = new Map<string, Owners>()
/** A large file needs about 10 MB. */
const maxLatest = 5

/** Comparisons for all files of a project: a second. Files that are usual need less than a tenth. */
const maxComparisons = 50_000_000
/** Characters of the paths that are remembered: about 100,000 files. */
const maxRemembered = 10_000_000

function ownersBy(codeowners: Codeowners): Owners {
  const budget = { left: maxComparisons }
  const known = new Map<string, string[]>()
  let remembered = 0
  return (file) => {
    if (file === null) return []
    let owners = known.get(file)
    if (owners === undefined) {
      owners = ownersOf(codeowners, file, budget)?.owners ?? []
      remembered += file.length
      if (remembered <= maxRemembered) known.set(file, owners)
    }
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
