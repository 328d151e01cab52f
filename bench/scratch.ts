import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../local/postgres.ts'

/** Creates a folder and a Postgres with fsync for one benchmark; `cleanUp` removes both. */
export async function openScratch(cleanUp: AsyncDisposableStack): Promise<{ directory: string; postgres: Postgres }> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  cleanUp.defer(() => rm(scratch, { recursive: true, force: true }))
  // A server closes its data folder to other users. If this process runs as root, Postgres runs as another user.
  const directory = join(scratch, 'files')
  await mkdir(directory)
  for (const open of [scratch, directory]) await chmod(open, 0o755)
  const postgres = cleanUp.use(
    await startPostgres({ directory: join(scratch, 'postgres'), logFile: join(scratch, 'postgres.log') }),
  )
  return { directory, postgres }
}
