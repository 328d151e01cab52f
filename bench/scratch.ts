import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../local/postgres.ts'

/** A folder and a Postgres of its own (with fsync, as people run it) for one figure; `cleanUp` takes both away. */
export async function openScratch(cleanUp: AsyncDisposableStack): Promise<{ directory: string; postgres: Postgres }> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o755) // Postgres runs as another user where we are root.
  const postgres = cleanUp.use(
    await startPostgres({ directory: join(directory, 'postgres'), logFile: join(directory, 'postgres.log') }),
  )
  return { directory, postgres }
}
