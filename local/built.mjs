// The bundles of a checkout's programs. JavaScript, because Node would load its TypeScript parser for it.
import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export const builtFolder = join(root, 'node_modules/.cache/assay/programs')
/** The size and the time of change of each source of the bundles, by its path from the root of the checkout. */
export const recordName = 'sources.json'

/** Returns whether there are bundles, and no source has changed since they were built. Takes about ten milliseconds. */
export function isCurrent() {
  try {
    const record = JSON.parse(readFileSync(join(builtFolder, recordName), 'utf8'))
    return Object.entries(record).every(([path, [size, mtimeMs]]) => {
      const now = statSync(join(root, path), { throwIfNoEntry: false })
      return now?.size === size && now.mtimeMs === mtimeMs
    })
  } catch {
    return false
  }
}

/**
 * Returns the bundle of a program, or the program itself if a source has changed since.
 *
 * @param {string} program - the absolute path of one of the programs in `packaging/build-programs.ts`
 * @returns {string}
 */
export function builtProgram(program) {
  return isCurrent() ? join(builtFolder, `${relative(root, program).slice(0, -'.ts'.length)}.js`) : program
}
