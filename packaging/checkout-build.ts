import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder, isCurrent, recordName } from '../mcp-server/checkout-build.mjs'
import { bundlePrograms, root } from './bundle.ts'

/**
 * Bundles the MCP server of a checkout, which then needs 50 ms and 10 MiB less than from its sources. `start.mjs` uses
 * the bundle until a source changes.
 *
 * @returns false if nothing had to be built
 */
export async function buildMcpServer(): Promise<boolean> {
  if (isCurrent()) return false
  const next = `${buildFolder}-${process.pid}`
  await mkdir(next, { recursive: true })
  try {
    const programs = {
      main: 'mcp-server/main.ts',
      'working-tree-process': 'client/working-tree-process.ts',
      worker: 'engines/parsing/worker.ts',
    }
    const { inputs } = await bundlePrograms(next, programs, { checkout: root })
    // The packages are as the lock file says.
    const sources = [...Object.keys(inputs).filter((path) => !path.startsWith('node_modules/')), 'package-lock.json']
    const states = sources.map(async (path) => {
      const { size, mtimeMs } = await stat(join(root, path))
      return [path, [size, mtimeMs]] as const
    })
    await writeFile(join(next, recordName), JSON.stringify(Object.fromEntries(await Promise.all(states))))
    await rm(buildFolder, { recursive: true, force: true })
    await rename(next, buildFolder)
  } finally {
    await rm(next, { recursive: true, force: true })
  }
  return true
}
