import type { Evidence, Verdict } from '../../../engines/verdicts/schema.ts'
import type { VerificationScene } from './scene.ts'

/** What a verification stored, in order. */
export interface Stored {
  status: string
  verdict: Verdict | null
  phase: string | null
  evidence: Evidence | null
}

/** Records every change of verifications with a trigger, so that no polling misses one. */
export async function recordChanges({ app: { dataSource } }: VerificationScene): Promise<void> {
  await dataSource.query(`
    CREATE TABLE stored_changes (number serial, id text, change json);
    CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO stored_changes (id, change) VALUES (NEW.id, json_build_object('status', NEW.status,
        'verdict', NEW.verdict, 'phase', NEW.progress ->> 'phase', 'evidence', NEW.evidence));
      RETURN NULL;
    END $$;
    CREATE TRIGGER record_change AFTER UPDATE ON verifications FOR EACH ROW EXECUTE FUNCTION record_change()`)
}

/** Returns each phase of a verification, in order. */
export const phasesOf = async (scene: VerificationScene, id: string): Promise<(string | null)[]> => {
  const phases = (await changesOf(scene, id)).map(({ phase }) => phase)
  return phases.filter((phase, index) => phase !== phases[index - 1])
}

/** Returns the different provisional verdicts of a verification with what each left open, in order. */
export async function publishedOf(scene: VerificationScene, id: string): Promise<Stored[]> {
  const changes = (await changesOf(scene, id)).filter(({ status, verdict }) => status === 'running' && verdict !== null)
  const signs = changes.map(({ verdict, evidence }) => JSON.stringify([verdict, evidence?.notRun]))
  return changes.filter((_, index) => signs[index] !== signs[index - 1])
}

async function changesOf({ app: { dataSource } }: VerificationScene, id: string): Promise<Stored[]> {
  const rows = await dataSource.query<{ change: Stored }[]>(
    'SELECT change FROM stored_changes WHERE id = $1 ORDER BY number',
    [id],
  )
  return rows.map(({ change }) => change)
}
