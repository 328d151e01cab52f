import type { Context } from '../base/context.ts'

/** Notes that the counts of these runs' days must be computed by `core/tests/days`, in the caller's transaction. */
export async function noteDays({ db }: Pick<Context, 'db'>, runIds: readonly string[]): Promise<void> {
  // The update locks a day that is noted already, so that it is not computed before the caller's changes are visible.
  await db.query(
    `INSERT INTO unrolled_days (project_id, day)
     SELECT DISTINCT project_id, (ran_at AT TIME ZONE 'UTC')::date FROM test_runs WHERE id = ANY ($1) ORDER BY 1, 2
     ON CONFLICT (project_id, day) DO UPDATE SET day = excluded.day`,
    [runIds],
  )
}
