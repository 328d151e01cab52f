import type { ClientBase } from 'pg'
import { auditHash, auditSignature, firstLink } from './chain.ts'
import { type AuditLogRow, recordedFields, type UnchainedRow } from './entity.ts'

/** Held while rows are chained, so that each row has one predecessor. The number is "audt" in ASCII. */
const chainLock = 0x61756474

const batchSize = 1_000

const readBatch = {
  name: 'read-unchained-audit-rows',
  text: `SELECT position, ${recordedFields}, signature,
                EXISTS (SELECT FROM audit_logs WHERE audit_logs.id = unchained_audit_logs.id) AS "isKnown"
           FROM unchained_audit_logs WHERE position > $1 ORDER BY position LIMIT ${batchSize}`,
}

const readHead = {
  name: 'read-audit-head',
  text: 'SELECT sequence, hash FROM audit_logs ORDER BY sequence DESC LIMIT 1',
}

// Moves the rows within Postgres: only the numbers and hashes travel.
const moveRows = {
  name: 'chain-audit-rows',
  text: `
    WITH chained AS (
      DELETE FROM unchained_audit_logs AS row
       USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS link (position, sequence, hash)
       WHERE row.position = link.position
      RETURNING link.sequence, row.id, row.user_id, row.action, row.ip_address, row.user_agent, row.metadata,
                row.created_at, link.hash
    )
    INSERT INTO audit_logs (sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
    SELECT * FROM chained ORDER BY sequence`,
}

type Link = Pick<AuditLogRow, 'id' | 'action' | 'sequence' | 'hash'> & { position: string }

interface Batch {
  chained: Link[]
  /** Rows that are not chained, because they were changed or added without the key. */
  rejected: UnchainedRow[]
  /** Where the next batch begins; undefined if this was the last one. */
  next: string | undefined
}

/** Chains the first unchained rows after a position, in one transaction. */
export async function chainBatch(client: ClientBase, secretKey: string, after: string): Promise<Batch> {
  try {
    // The statements after the lock see what its previous holder committed.
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${chainLock})`)
    const [{ rows }, { rows: heads }] = await Promise.all([
      client.query<UnchainedRow & { isKnown: boolean }>({ ...readBatch, values: [after] }),
      client.query<Pick<AuditLogRow, 'sequence' | 'hash'>>(readHead),
    ])
    const chained: Link[] = []
    const rejected: UnchainedRow[] = []
    let { sequence, hash } = heads[0] ?? { sequence: '0', hash: firstLink }
    for (const { isKnown, ...row } of rows) {
      if (isKnown || auditSignature(secretKey, row) !== row.signature) {
        rejected.push(row)
        continue
      }
      sequence = String(BigInt(sequence) + 1n)
      hash = auditHash(secretKey, hash, { ...row, sequence })
      chained.push({ position: row.position, id: row.id, action: row.action, sequence, hash })
    }
    if (chained.length > 0) {
      const column = (name: keyof Link) => chained.map((link) => link[name])
      const { rowCount } = await client.query({
        ...moveRows,
        values: [column('position'), column('sequence'), column('hash')],
      })
      if (rowCount !== chained.length) throw new Error('Unchained audit rows disappeared while they were chained.')
    }
    await client.query('COMMIT')
    return { chained, rejected, next: rows.length === batchSize ? rows.at(-1)?.position : undefined }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

const findRows = {
  name: 'find-audit-rows',
  text: `SELECT id FROM audit_logs WHERE id = ANY ($1)
          UNION ALL
         SELECT id FROM unchained_audit_logs WHERE id = ANY ($1)`,
}

/** Returns the ids that are in neither table. */
export async function missingRows(client: ClientBase, ids: string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({ ...findRows, values: [ids] })
  const found = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !found.has(id))
}
