import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Copies the layers into the folder, the lowest first, unless that was done before. */
export async function copyLayers(lower: readonly string[], upper: string): Promise<void> {
  const mark = `${upper}.layers-copied`
  if (existsSync(mark)) return
  for (const layer of lower.toReversed()) {
    await makeWay(layer, upper)
    await promisify(execFile)('cp', [
      '-a',
      ...(process.platform === 'linux' ? ['--reflink=auto', '--remove-destination'] : []),
      `${layer}/.`,
      upper,
    ])
  }
  await writeFile(mark, '')
}

/**
 * Removes from the folder what is not of the same kind in the layer, and every link: a copy would be written to where
 * the link leads.
 */
async function makeWay(layer: string, upper: string): Promise<void> {
  const present = new Map((await readdir(upper, { withFileTypes: true })).map((entry) => [entry.name, entry]))
  if (present.size === 0) return
  for (const entry of await readdir(layer, { withFileTypes: true })) {
    const found = present.get(entry.name)
    if (found === undefined) continue
    const path = join(upper, entry.name)
    if (entry.isDirectory() && found.isDirectory()) await makeWay(join(layer, entry.name), path)
    else if (!entry.isFile() || !found.isFile()) await rm(path, { recursive: true })
  }
}
