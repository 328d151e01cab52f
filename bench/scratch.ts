import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../local/postgres.ts'

/** Creates a folder and a Postgres with fsync for one benchmark; `cleanUp` removes both. */
export async function openScratch(cleanUp: AsyncDisposableStack): Promise<{ directory: string; postgres: Postgres }> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o755) // Postgres runs as another user if this process runs as root.
  const postgres = cleanUp.use(
    await startPostgres({ directory: join(directory, 'postgres'), logFile: join(directory, 'postgres.log') }),
  )
  return { directory, postgres }
}
