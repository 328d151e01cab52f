import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { TestRunEntity } from '../entity.ts'
import { removeTree, runsDirectory } from './directories.ts'

/** Removes what workers of this machine that died have left: folders of runs that nobody works on any more. */
export async function sweepRuns({ config, db, log }: Pick<Context, 'config' | 'db' | 'log'>): Promise<void> {
  const directory = runsDirectory(config)
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const [, id, attempt] = /^(\w+)\.(\d+)$/.exec(name) ?? []
    const runs = db.getRepository(TestRunEntity)
    if (id && (await runs.existsBy({ id, attempt: Number(attempt), status: 'RUNNING' }))) continue
    await removeTree(join(directory, name)).catch((error: unknown) =>
      log.warn({ err: error, name }, 'the folder of a run cannot be removed'),
    )
  }
}
