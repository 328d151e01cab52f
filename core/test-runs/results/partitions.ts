import { decodeTime, encodeTime } from 'ulid'
import type { EntityManager } from 'typeorm'

/** A table whose rows are partitioned by week. Its default partition catches rows of other times. */
export interface WeeklyTable {
  name: string
  /** Column of the partition key. */
  key: string
  /** The smallest key of a day, and the time of a key. */
  keyOf: (day: Date) => string
  timeOf: (key: string) => Date
}

/** The id of a run begins with the time of its creation. */
export const resultsTable: WeeklyTable = {
  name: 'test_results',
  key: 'run_id',
  keyOf: (day) => encodeTime(day.getTime(), 10),
  timeOf: (key) => new Date(decodeTime(key.slice(0, 10).padEnd(26, '0'))),
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** A server that is not restarted and cannot clean up continues for this long before rows go to the default partition. */
const weeksAhead = 4
/** Creating and dropping partitions waits for running queries, and blocks others meanwhile. */
const lockTimeout = '3s'

/**
 * Creates the partitions for this week and the following ones. Rows that came before their partition are moved into it.
 * Safe to call from several processes.
 */
export async function createPartitions(db: EntityManager, table: WeeklyTable, now: Date): Promise<void> {
  const known = await listNames(db, table)
  for (let week = 0; week <= weeksAhead; week++) {
    const from = new Date(mondayOf(now).getTime() + week * weekMs)
    if (known.has(nameOf(table, from))) continue
    await db.transaction(async (tx) => {
      await prepare(tx, table)
      const others = await listPartitions(tx, table)
      const until = new Date(from.getTime() + weekMs)
      const isCovered = others.some((other) => (other.from === null || other.from <= from) && other.until >= until)
      if (!isCovered) await create(tx, table, { from, until }, others)
    })
  }
}

/**
 * Drops the partitions with rows from before `limit` only, and deletes such rows of the default partition.
 *
 * @returns the time before which no partition has rows; undefined if one is unlimited
 */
export async function dropPartitions(db: EntityManager, table: WeeklyTable, limit: Date): Promise<Date | undefined> {
  for (const { name, until } of await listPartitions(db, table)) {
    if (until > limit) continue
    await db.transaction(async (tx) => {
      await prepare(tx, table)
      await tx.query(`DROP TABLE IF EXISTS ${name}`)
    })
  }
  await db.query(`DELETE FROM ${table.name}_other WHERE ${table.key} < $1`, [table.keyOf(limit)])
  const starts = (await listPartitions(db, table)).map(({ from }) => from?.getTime() ?? -Infinity)
  const oldest = Math.min(...starts, limit.getTime())
  return Number.isFinite(oldest) ? new Date(oldest) : undefined
}

export interface Partition {
  name: string
  /** The time that its rows are from. Null if it begins before everything. */
  from: Date | null
  until: Date
}

/** Returns the partitions except the default one. */
export async function listPartitions(db: EntityManager, table: WeeklyTable): Promise<Partition[]> {
  const rows = await db.query<{ name: string; first: string | null; bound: string }[]>(
    `SELECT name, substring(range FROM 'FROM \\(''(.*)''\\) TO') AS first, substring(range FROM 'TO \\(''(.*)''\\)') AS bound
       FROM (SELECT inhrelid::regclass::text AS name, pg_get_expr(relpartbound, inhrelid) AS range
               FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = $1::regclass) AS p
      WHERE range <> 'DEFAULT'`,
    [table.name],
  )
  return rows.map(({ name, first, bound }) => ({
    name,
    from: first === null ? null : table.timeOf(first),
    until: table.timeOf(bound),
  }))
}

async function prepare(tx: EntityManager, { name }: WeeklyTable): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`)
  await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`partitions of ${name}`])
}

/** The names alone need no lock on the partitions, so a locked table does not delay the start of a server. */
async function listNames(db: EntityManager, table: WeeklyTable): Promise<Set<string>> {
  const rows = await db.query<{ name: string }[]>(
    'SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = to_regclass($1)',
    [table.name],
  )
  return new Set(rows.map(({ name }) => name))
}

async function create(
  tx: EntityManager,
  table: WeeklyTable,
  { from, until }: { from: Date; until: Date },
  others: readonly Partition[],
): Promise<void> {
  const { name, key, keyOf } = table
  const partition = nameOf(table, from)
  // The partition with the rows of earlier versions may end within the week.
  const covered = others.map((other) => other.until).filter((end) => end > from && end < until)
  const lower = keyOf(new Date(Math.max(from.getTime(), ...covered.map(Number))))
  const upper = keyOf(until)
  await tx.query(`CREATE TABLE ${partition} (LIKE ${name} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
  // Attaching refuses if the default partition has rows of the week. It usually has none.
  await tx.query(
    `WITH moved AS (DELETE FROM ${name}_other WHERE ${key} >= '${lower}' AND ${key} < '${upper}' RETURNING *)
     INSERT INTO ${partition} SELECT * FROM moved`,
  )
  await tx.query(`ALTER TABLE ${name} ATTACH PARTITION ${partition} FOR VALUES FROM ('${lower}') TO ('${upper}')`)
}

function mondayOf(time: Date): Date {
  const days = Math.floor(time.getTime() / dayMs)
  // 1 January 1970 was a Thursday.
  return new Date((days - ((days + 3) % 7)) * dayMs)
}

const nameOf = ({ name }: WeeklyTable, from: Date) => `${name}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`
