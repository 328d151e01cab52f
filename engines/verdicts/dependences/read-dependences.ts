import { posix } from 'node:path'
import { includesLine, parseRanges } from '../../coverage/ranges.ts'
import { readSource, type SourceFile } from '../../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../../processes/tasks.ts'
import type { Measured, TestFile } from '../outcome.ts'
import type { Dependence } from './schema.ts'

export interface FileDependences {
  found: Dependence[]
  /** Modules that it imports, as written, without those that are known to be harmless. */
  imports: string[]
}

export type DependencesWork = TaskWork<SourceFile, FileDependences | null>

const task = taskAt<DependencesWork>(new URL('dependences-task.ts', import.meta.url))

interface Reading {
  test: TestFile
  /** What the test covers when it runs alone. */
  alone: Measured
  /** The files of the repository. */
  paths: readonly string[]
  /** Reads a file of the repository; null if it cannot. */
  read: (path: string) => Promise<string | null>
}

/** More files than this are not read. A test that reaches so much is worth all repeats. */
const maxFiles = 100

/**
 * Returns what the result of a test can depend on beside the code: time, chance, files, state that tests share, and code
 * that Assay does not read. Looks at the test, at the fixtures around it, and at the lines that it covers. The first of
 * them is enough to know, so the list ends with the first file that has any.
 */
export async function readDependences(runner: TaskRunner, reading: Reading): Promise<Dependence[]> {
  const { test, alone, paths, read } = reading
  const reached = Object.keys(alone.files).filter((path) => path !== test.path && alone.files[path]?.covered !== '')
  if (reached.length > maxFiles) return [unknown(test.path, `code in ${reached.length} files`)]
  const fixtures = fixturesAround(test.path, paths)
  const known = new Set([test.path, ...reached, ...fixtures].map(stemOf))
  for (const path of [test.path, ...fixtures, ...reached]) {
    const source = path === test.path ? test.code : await read(path)
    const own = source === null ? undefined : await readSource(runner, task, { path, source })
    if (!own) return [unknown(path, 'a file that Assay cannot read')]
    const uncovered = parseRanges((path === test.path ? undefined : alone.files[path]?.uncovered) ?? '')
    const found = own.found.filter(({ line }) => !includesLine(uncovered, line))
    if (found.length > 0) return found
    const foreign = own.imports.find((module) => !isRead(module, path, known))
    if (foreign !== undefined) return [unknown(path, foreign)]
  }
  return []
}

const unknown = (path: string, what: string): Dependence => ({ kind: 'unknown', what, path, line: 1 })

/** The files with fixtures that pytest loads for a test. */
function fixturesAround(path: string, paths: readonly string[]): string[] {
  if (!path.endsWith('.py')) return []
  return paths.filter((other) => {
    const folder = posix.dirname(other)
    return posix.basename(other) === 'conftest.py' && (folder === '.' || path.startsWith(`${folder}/`))
  })
}

/** Whether an import leads to a file that is looked at: `./cart.js` in `src/a.ts`, `shop.cart` or `..cart` in Python. */
function isRead(module: string, path: string, known: ReadonlySet<string>): boolean {
  if (path.endsWith('.py')) return isReadPython(module, path, known)
  if (!/^\.{1,2}(?:\/|$)/.test(module)) return false
  return known.has(stemOf(posix.join(posix.dirname(path), module)))
}

function isReadPython(module: string, path: string, known: ReadonlySet<string>): boolean {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const inside = module.slice(dots).replaceAll('.', '/')
  if (dots === 0) return [...known].some((stem) => stem === inside || stem.endsWith(`/${inside}`))
  const folder = posix.join(posix.dirname(path), '../'.repeat(dots - 1))
  return known.has(stemOf(posix.join(folder, inside)))
}

/** A path as imports name it: without extension, and without the name of an index. */
const stemOf = (path: string) =>
  posix
    .normalize(path)
    .replace(/\.(?:[cm]?[jt]sx?|py)$/, '')
    .replace(/(?:^|\/)(?:index|__init__)$/, '')
