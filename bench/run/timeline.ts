import type { Client } from 'pg'

/** What a run goes through, in this order; installing is absent where nothing was installed. */
export const stages = {
  RUNNING: 'taken and waiting',
  fetching: 'taken up',
  planning: 'fetched and planned',
  installing: 'checked out',
  testing: 'checked out or installed',
  storing: 'tests and sandbox',
  reading: 'log stored',
  COMPLETED: 'files stored, reports read',
} as const

/** Has Postgres write down when a run gets into which state: nobody needs to ask while it is measured. */
export async function recordTimeline(client: Client): Promise<void> {
  await client.query(`
    CREATE TABLE run_timeline (run_id text, state text, at double precision);
    CREATE FUNCTION record_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO run_timeline VALUES
        (NEW.id, coalesce(NEW.progress ->> 'phase', NEW.status), extract(epoch FROM clock_timestamp()) * 1000);
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_state AFTER UPDATE ON test_runs FOR EACH ROW EXECUTE FUNCTION record_state()`)
}

/** Milliseconds until each state, from the one before it. */
export async function timelineOf(client: Client, runId: string, startedAt: number): Promise<Map<string, number>> {
  const { rows } = await client.query<{ state: string; at: number }>(
    'SELECT state, min(at) AS at FROM run_timeline WHERE run_id = $1 GROUP BY state ORDER BY 2',
    [runId],
  )
  let before = startedAt
  return new Map(
    rows.map(({ state, at }) => {
      const milliseconds = at - before
      before = at
      return [state, milliseconds]
    }),
  )
}
