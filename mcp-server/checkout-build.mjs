// The bundle of a checkout's MCP server. JavaScript, because Node would load its TypeScript parser for it.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export const buildFolder = join(root, 'node_modules/.cache/assay/mcp-server')
/** The size and the time of change of each source of a bundle, by its path from the root of the checkout. */
export const recordName = 'sources.json'

/** Returns whether there is a bundle, and no source has changed since it was built. Takes a few milliseconds. */
export function isCurrent() {
  try {
    const record = JSON.parse(readFileSync(join(buildFolder, recordName), 'utf8'))
    return Object.entries(record).every(([path, [size, mtimeMs]]) => {
      const now = statSync(join(root, path), { throwIfNoEntry: false })
      return now?.size === size && now.mtimeMs === mtimeMs
    })
  } catch {
    return false
  }
}
