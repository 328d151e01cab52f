import type { DataSource, EntityManager } from 'typeorm'
import { auditHash, firstLink } from './chain.ts'
import type { AuditLogRow } from './entity.ts'

/** The last row at some point in time, from core's log output. */
export interface AuditHead {
  sequence: string
  hash: string
}

/**
 * What the hashes prove about the first broken row:
 *
 * - `missing`: no row has this number, but later rows exist
 * - `changed`: the row was changed after it was written
 * - `inserted`: the rows around it match without it
 * - `unproven`: its hash does not match its content: it was changed, inserted, or written with another key
 * - `cut off`: the log ends before the known head
 * - `rewritten`: the row is valid, but differs from the known head
 */
export type AuditProblem = 'missing' | 'changed' | 'inserted' | 'unproven' | 'cut off' | 'rewritten'

export interface BrokenRow {
  sequence: string
  /** Null if no row has this number. */
  id: string | null
  problem: AuditProblem
}

export interface AuditVerdict {
  /** The number of valid rows before the first broken one. */
  rows: number
  /** The last valid row. */
  head: AuditHead | null
  broken?: BrokenRow
}

const batchSize = 1_000

/**
 * Verifies a snapshot of the audit log, from its first row to the first broken one. The chain alone cannot show that
 * rows at the end are missing: that takes `knownHead`, from outside the database.
 *
 * An attacker with the database and the key can write a log that passes, but not one that matches a known head.
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

/** Uses the row after the broken one to find out what happened to it. */
function diagnose(secretKey: string, previous: string, row: AuditLogRow, next: AuditLogRow | undefined): AuditProblem {
  if (!next) return 'unproven'
  if (auditHash(secretKey, row.hash, next) === next.hash) return 'changed'
  const closedUp = { ...next, sequence: row.sequence }
  return auditHash(secretKey, previous, closedUp) === next.hash ? 'inserted' : 'unproven'
}

/** Reads through a cursor, because the log has no maximum size. */
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
