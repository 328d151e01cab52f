import type { Context } from '../../base/context.ts'
import { keepFiles, type StagedFile } from '../../files/store.ts'
import type { TestRunRow } from '../entity.ts'
import { freeName } from './file-names.ts'
import type { ReceivedFile } from './receive.ts'

/** A file of an upload whose bytes are stored. */
export type StoredPart = Pick<ReceivedFile, 'part' | 'name' | 'contentType'> & StagedFile

/** Adds uploaded files to a run, with a folder for each part. The caller has locked the run's row. */
export async function addFilesToRun(
  tx: Pick<Context, 'db' | 'now'>,
  { projectId, id: runId }: Pick<TestRunRow, 'id' | 'projectId'>,
  parts: readonly StoredPart[],
): Promise<void> {
  const kept = await tx.db.query<{ name: string }[]>('SELECT name FROM files WHERE project_id = $1 AND run_id = $2', [
    projectId,
    runId,
  ])
  const taken = new Set(kept.map(({ name }) => name))
  const named = parts.map(({ part, name, ...file }) => ({ ...file, name: freeName(`${part}/${name}`, taken) }))
  await keepFiles(tx, { projectId, runId }, named)
}
