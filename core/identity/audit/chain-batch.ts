import type { ClientBase, QueryResult } from 'pg'
import { auditHash, auditSignature, firstLink } from './chain.ts'
import { type AuditLogRow, recordedFields, type UnchainedRow } from './entity.ts'

/** Held while rows are chained, so that each row has one predecessor. The number is "audt" in ASCII. */
export const chainLock = 0x61756474

const batchSize = 1_000

// Each text below is one message of several statements, because a round trip takes longer than its statements. The
// statements after the lock see what its previous holder committed. Postgres would read all of `audit_logs` for EXISTS.
const readBatch = (after: string) => `
  BEGIN;
  SELECT pg_advisory_xact_lock(${chainLock});
  SELECT sequence, hash FROM audit_logs ORDER BY sequence DESC LIMIT 1;
  SELECT position, ${recordedFields}, signature,
         (SELECT true FROM audit_logs WHERE audit_logs.id = unchained_audit_logs.id) AS "isKnown"
    FROM unchained_audit_logs WHERE position > ${after} ORDER BY position LIMIT ${batchSize}`

// Moves the rows within Postgres: only their numbers and hashes travel. These are digits, letters, "-" and "_". A row
// that disappeared since it was read leaves a gap, which verification reports.
const moveRows = (links: Link[]) => `
  WITH chained AS (
    DELETE FROM unchained_audit_logs AS row
     USING unnest(${array(links, 'position')}::bigint[], ${array(links, 'sequence')}::bigint[], ${array(links, 'hash')}::text[])
           AS link (position, sequence, hash)
     WHERE row.position = link.position
    RETURNING link.sequence, row.id, row.user_id, row.action, row.ip_address, row.user_agent, row.metadata,
              row.created_at, link.hash
  )
  INSERT INTO audit_logs (sequence, id, user_id, action, ip_address, user_agent, metadata, created_at, hash)
  SELECT * FROM chained ORDER BY sequence;
  COMMIT`

function array(links: Link[], name: 'position' | 'sequence' | 'hash'): string {
  return `'{${links.map((link) => link[name]).join(',')}}'`
}

type Link = Pick<AuditLogRow, 'id' | 'action' | 'sequence' | 'hash'> & { position: string }

type Head = Pick<AuditLogRow, 'sequence' | 'hash'>
type Read = UnchainedRow & { isKnown: true | null }

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
    const [, , heads, read] = await queryScript(client, readBatch(after))
    const rows = (read?.rows ?? []) as Read[]
    const chained: Link[] = []
    const rejected: UnchainedRow[] = []
    let { sequence, hash } = (heads?.rows[0] as Head | undefined) ?? { sequence: '0', hash: firstLink }
    for (const { isKnown, ...row } of rows) {
      if (isKnown || auditSignature(secretKey, row) !== row.signature) {
        rejected.push(row)
        continue
      }
      sequence = String(BigInt(sequence) + 1n)
      hash = auditHash(secretKey, hash, { ...row, sequence })
      chained.push({ position: row.position, id: row.id, action: row.action, sequence, hash })
    }
    await client.query(chained.length > 0 ? moveRows(chained) : 'COMMIT')
    return { chained, rejected, next: rows.length === batchSize ? rows.at(-1)?.position : undefined }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Runs several statements in one message. The types of pg know only the result of a single one. */
async function queryScript(client: ClientBase, script: string): Promise<QueryResult[]> {
  const results: unknown = await client.query(script)
  return results as QueryResult[]
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
