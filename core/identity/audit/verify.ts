import type { DataSource, EntityManager } from 'typeorm'
import { auditHash, firstLink } from './chain.ts'
import type { AuditLogRow } from './entity.ts'

/** Where the log ended at some moment, as core wrote it to its own log. */
export interface AuditHead {
  sequence: string
  hash: string
}

/**
 * What can be proven about the first row at which the log is not what was written:
 *
 * - `missing`: there is none with this number, though there are later ones
 * - `changed`: it is the row that was written, but says something else now
 * - `inserted`: without it the rows around it fit
 * - `unproven`: its hash was not made from what it says: changed, put in, or written with another key
 * - `cut off`: the log does not reach the known head
 * - `rewritten`: the row fits, but is another one than the known head
 */
export type AuditProblem = 'missing' | 'changed' | 'inserted' | 'unproven' | 'cut off' | 'rewritten'

export interface BrokenRow {
  sequence: string
  /** Of the row that stands there, where there is one. */
  id: string | null
  problem: AuditProblem
}

export interface AuditVerdict {
  /** How many were found good. */
  rows: number
  /** The last of them. */
  head: AuditHead | null
  broken?: BrokenRow
}

const batchSize = 1_000

/**
 * Walks the audit log as it is at this moment, from its first row to the first that is broken. The chain alone cannot
 * tell that rows at its end are gone: only `knownHead`, from outside the database, can.
 *
 * Whoever has both the database and the key can write a log that passes; a known head still gives that away.
 */
export async function verifyAuditLog(
  dataSource: DataSource,
  secretKey: string,
  knownHead?: AuditHead,
): Promise<AuditVerdict> {
  return dataSource.transaction('REPEATABLE READ', async (tx) => {
    let rows = 0
    let head: AuditHead | null = null
    const verdict = (broken: BrokenRow): AuditVerdict => ({ rows, head, broken })
    const stored = readRows(tx)
    let { value: row } = await stored.next()
    while (row) {
      const expected = BigInt(rows) + 1n
      const here = { sequence: row.sequence, id: row.id }
      if (BigInt(row.sequence) > expected) return verdict({ sequence: String(expected), id: null, problem: 'missing' })
      if (BigInt(row.sequence) < expected) return verdict({ ...here, problem: 'inserted' })
      const { value: next } = await stored.next()
      const previous: string = head?.hash ?? firstLink
      if (auditHash(secretKey, previous, row) !== row.hash) {
        return verdict({ ...here, problem: diagnose(secretKey, previous, row, next) })
      }
      if (knownHead?.sequence === row.sequence && knownHead.hash !== row.hash) {
        return verdict({ ...here, problem: 'rewritten' })
      }
      rows++
      head = { sequence: row.sequence, hash: row.hash }
      row = next
    }
    if (knownHead && BigInt(knownHead.sequence) > rows) {
      return verdict({ sequence: String(rows + 1), id: null, problem: 'cut off' })
    }
    return { rows, head }
  })
}

/** What the row after the broken one proves about it. */
function diagnose(secretKey: string, previous: string, row: AuditLogRow, next: AuditLogRow | undefined): AuditProblem {
  if (!next) return 'unproven'
  if (auditHash(secretKey, row.hash, next) === next.hash) return 'changed'
  const closedUp = { ...next, sequence: row.sequence }
  return auditHash(secretKey, previous, closedUp) === next.hash ? 'inserted' : 'unproven'
}

/** Through a cursor, since the log grows without end and memory does not. */
async function* readRows(tx: EntityManager): AsyncGenerator<AuditLogRow, undefined> {
  await tx.query(
    `DECLARE audit_rows NO SCROLL CURSOR FOR
      SELECT sequence, id, user_id AS "userId", action, ip_address AS "ipAddress", user_agent AS "userAgent", metadata,
             created_at AS "createdAt", hash
        FROM audit_logs ORDER BY sequence`,
  )
  for (;;) {
    const batch = await tx.query<AuditLogRow[]>(`FETCH ${batchSize} FROM audit_rows`)
    yield* batch
    if (batch.length < batchSize) return undefined
  }
}
