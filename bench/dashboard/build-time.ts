import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../local/dashboard/vite-config.ts'

/** How long a process takes that builds the dashboard, in seconds. */
export async function timeOfBuild(): Promise<number> {
  await rm(resolve(projectRoot, 'dashboard/dist/build.json'), { force: true })
  const startedAt = performance.now()
  await promisify(execFile)(process.execPath, ['local/build.ts'], { cwd: projectRoot })
  return (performance.now() - startedAt) / 1_000
}
