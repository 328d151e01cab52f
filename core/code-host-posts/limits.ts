import type { EntityManager } from 'typeorm'

/** Stores that the code host refuses the calls of an account until this time. All processes wait for it. */
export async function noteLimit(db: EntityManager, account: string, until: Date): Promise<void> {
  await db.query(
    `INSERT INTO code_host_limits AS l (account, until) VALUES ($1, $2)
     ON CONFLICT (account) DO UPDATE SET until = greatest(l.until, $2)`,
    [account, until],
  )
}

/** Returns for how many seconds the code host refuses the calls of an account. */
export async function limitedFor(db: EntityManager, account: string, now: Date): Promise<number> {
  const [row] = await db.query<{ until: Date }[]>('SELECT until FROM code_host_limits WHERE account = $1', [account])
  return row ? Math.max(0, Math.ceil((row.until.getTime() - now.getTime()) / 1_000)) : 0
}
