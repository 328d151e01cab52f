import type { Client } from 'pg'

/** Tables of records with a verdict. */
export type JudgedTable = 'verifications' | 'changes'

/** Records phase changes with a trigger, so that no polling affects the measurement. */
export async function recordPhases(client: Client, table: JudgedTable): Promise<void> {
  await client.query(`
    CREATE TABLE phases (record_id text, phase text, at double precision);
    CREATE FUNCTION record_phase() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO phases VALUES
        (NEW.id, CASE WHEN NEW.status = 'running' THEN coalesce(NEW.progress ->> 'phase', NEW.status) ELSE NEW.status END,
         extract(epoch FROM clock_timestamp()) * 1000);
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_phase AFTER UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION record_phase()`)
}

/** Returns the milliseconds of each phase. */
export async function phasesOf(
  client: Client,
  recordId: string,
  { startedAt, endedAt }: { startedAt: number; endedAt: number },
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ phase: string; at: number }>(
    'SELECT phase, at FROM phases WHERE record_id = $1 ORDER BY at',
    [recordId],
  )
  const phases = new Map<string, number>()
  let current = 'waiting for a worker'
  let since = startedAt
  for (const { phase, at } of [...rows, { phase: '', at: endedAt }]) {
    phases.set(current, (phases.get(current) ?? 0) + at - since)
    current = phase === 'completed' ? 'noticed by the caller' : phase
    since = at
  }
  return phases
}
