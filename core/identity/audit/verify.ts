import type { DataSource, EntityManager } from 'typeorm'
import { auditHash, auditSignature, firstLink } from './chain.ts'
import { type AuditLogRow, recordedFields, type UnchainedRow } from './entity.ts'

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
 * - `forged`: the row is not chained, and it was changed or added without the key
 */
export type AuditProblem = 'missing' | 'changed' | 'inserted' | 'unproven' | 'cut off' | 'rewritten' | 'forged'

export interface BrokenRow {
  /** Null for a row that is not chained. */
  sequence: string | null
  /** Null if no row has this number. */
  id: string | null
  problem: AuditProblem
}

export interface AuditVerdict {
  /** The number of valid rows before the first broken one. */
  rows: number
  /** The last valid row. */
  head: AuditHead | null
  /** Rows that are recorded but not chained. Absent if all rows are chained. */
  unchained?: { rows: number; oldest: Date }
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
    const stored = readRows<AuditLogRow>(tx, chainedRows)
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
    const { unchained, forged } = await readUnchained(tx, secretKey)
    return { rows, head, ...(unchained && { unchained }), ...(forged && { broken: forged }) }
  })
}

async function readUnchained(
  tx: EntityManager,
  secretKey: string,
): Promise<Pick<AuditVerdict, 'unchained'> & { forged?: BrokenRow }> {
  let unchained: { rows: number; oldest: Date } | undefined
  for await (const { isKnown, ...row } of readRows<UnchainedRow & { isKnown: boolean }>(tx, unchainedRows)) {
    if (isKnown || auditSignature(secretKey, row) !== row.signature) {
      return { unchained, forged: { sequence: null, id: row.id, problem: 'forged' } }
    }
    unchained = { rows: (unchained?.rows ?? 0) + 1, oldest: unchained?.oldest ?? row.createdAt }
  }
  return { unchained }
}

/** Uses the row after the broken one to find out what happened to it. */
function diagnose(secretKey: string, previous: string, row: AuditLogRow, next: AuditLogRow | undefined): AuditProblem {
  if (!next) return 'unproven'
  if (auditHash(secretKey, row.hash, next) === next.hash) return 'changed'
  const closedUp = { ...next, sequence: row.sequence }
  return auditHash(secretKey, previous, closedUp) === next.hash ? 'inserted' : 'unproven'
}

const chainedRows = `SELECT sequence, ${recordedFields}, hash FROM audit_logs ORDER BY sequence`

const unchainedRows = `SELECT ${recordedFields}, signature,
       EXISTS (SELECT FROM audit_logs WHERE audit_logs.id = unchained_audit_logs.id) AS "isKnown"
  FROM unchained_audit_logs ORDER BY position`

/** Reads through a cursor, because the log has no maximum size. */
async function* readRows<Row>(tx: EntityManager, rows: string): AsyncGenerator<Row, undefined> {
  await tx.query(`DECLARE audit_rows NO SCROLL CURSOR FOR ${rows}`)
  for (;;) {
    const batch = await tx.query<Row[]>(`FETCH ${batchSize} FROM audit_rows`)
    yield* batch
    if (batch.length < batchSize) break
  }
  await tx.query('CLOSE audit_rows')
  return undefined
}
