// Says which test files may use something that other processes use too: a port, or a file with a fixed name.
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const opensPorts = /\blisten\(|\bchild_process\b/
const writesFiles =
  /\b(?:appendFile|copyFile|cp|createWriteStream|mkdir|rename|rm|rmdir|symlink|unlink|writeFile)(?:Sync)?\(/
/** Folders with these names are different in each process. */
const usesOwnFolder = /\bmkdtemp|\btmpdir\b/
const relative = /(?:from|import|require) ?\(? ?['"](\.[^'"\n]{0,500})['"]/g
const endings = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx', '/index.js', '/index.ts']
/** What is known of each file. */
const known = new Map()

/** Whether a file, or one that it imports from the project, opens ports, starts programs or writes files. */
export function mayDisturb(file) {
  const { isOwn } = of(file)
  const seen = new Set([file])
  for (const one of seen) {
    const { opens, writes, imports } = of(one)
    if (opens || (writes && !isOwn && !of(one).isOwn)) return true
    for (const path of imports) seen.add(path)
  }
  return false
}

function of(file) {
  if (!known.has(file)) known.set(file, describe(file))
  return known.get(file)
}

function describe(file) {
  const path = endings.map((ending) => file + ending).find(isFile) ?? file.replace(/\.([cm]?)js$/, '.$1ts')
  const text = isFile(path) ? readFileSync(path, 'utf8') : ''
  return {
    opens: opensPorts.test(text),
    writes: writesFiles.test(text),
    isOwn: usesOwnFolder.test(text),
    imports: [...text.matchAll(relative)].map(([, name]) => resolve(dirname(path), name)),
  }
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
