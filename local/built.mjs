/* global ASSAY_BUILT */
// The bundles of a checkout's programs. JavaScript, because Node would load its TypeScript parser for it.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each build has a folder of its own in it, so that a server that runs from an earlier one finds its files. */
export const buildsFolder = join(root, 'node_modules/.cache/assay/programs')
/** The name of the latest build, with the size and the time of change of each source by its path from the root. */
export const recordName = 'latest.json'

/** Returns the folder of the latest build; undefined if a source has changed since. Takes about ten milliseconds. */
export function currentBuild(folder = buildsFolder) {
  try {
    const { build, sources } = JSON.parse(readFileSync(join(folder, recordName), 'utf8'))
    const isCurrent = Object.entries(sources).every(([path, [size, mtimeMs]]) => {
      const now = statSync(root + path, { throwIfNoEntry: false })
      return now?.size === size && now.mtimeMs === mtimeMs
    })
    return isCurrent ? join(folder, build) : undefined
  } catch {
    return undefined
  }
}

const flushAfterMs = 1_000

let found

/** All programs that a process starts are of the same build. A bundle knows the build that it is part of. */
const ownBuild = () => (typeof ASSAY_BUILT === 'undefined' ? currentBuild() : ASSAY_BUILT.folder)

/** Returns what to run for a program, and where Node keeps its compiled code: its bundle, or the program itself. */
export function findProgram(program, folder) {
  const build = folder === undefined ? (found ??= { build: ownBuild() }).build : currentBuild(folder)
  const bundle = build && join(build, `${relative(root, program).slice(0, -'.ts'.length)}.js`)
  return bundle && existsSync(bundle)
    ? { file: bundle, codeCache: join(build, 'code') }
    : { file: program, codeCache: join(root, 'node_modules/.cache/assay/code') }
}

/** The folder of a build with a file for each process that runs from it, so that later builds do not remove it. */
export const usersName = 'users'

/** Without it, a later build only removes this one earlier, so that a folder that cannot be written does no harm. */
function noteUser(build) {
  const file = join(build, usersName, String(process.pid))
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
    process.once('exit', () => rmSync(file, { force: true }))
  } catch {
    return
  }
}

/** Runs a program in this process. */
export async function startProgram(program) {
  const { file, codeCache } = findProgram(program)
  enableCompileCache(codeCache)
  if (file !== program) noteUser(dirname(codeCache))
  // At the end of a long process, V8 would have dropped the code of functions that ran only once.
  setTimeout(flushCompileCache, flushAfterMs).unref()
  await import(pathToFileURL(file).href)
}
