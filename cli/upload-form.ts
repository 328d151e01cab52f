import { openAsBlob } from 'node:fs'
import { glob, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { UploadPart } from '../core/test-runs/uploads/schema.ts'
import { wrongUsage } from './failure.ts'
import { isWithin } from './write-tests.ts'

/** What core takes at once, with room for the form around it. */
const mostBytes = 50 * 1_048_576 - 65_536

export interface UploadFile {
  part: UploadPart
  /** Absolute. */
  path: string
  /** As core names it: below the working directory with its folders. */
  name: string
  size: number
}

/** Patterns as the shell has them; one without a wildcard names a file. */
export type Patterns = Readonly<Record<UploadPart, readonly string[]>>

/**
 * The files that patterns mean, each once.
 *
 * @returns with the patterns for artifacts that mean nothing, which only some builds leave behind
 */
export async function findFiles(
  patterns: Patterns,
  cwd: string,
): Promise<{ files: UploadFile[]; unmatched: string[] }> {
  const files = new Map<string, UploadFile>()
  const unmatched: string[] = []
  for (const part of UploadPart.options) {
    for (const pattern of patterns[part]) {
      const found = await filesOf(pattern, part, cwd)
      if (found.length === 0 && part !== 'artifacts') {
        throw wrongUsage(
          `No file is at ${pattern} (${part}), seen from ${cwd}. Have the tests left it elsewhere?` +
            (wildcard.test(pattern) ? ' Wildcards follow no links that lead out of there.' : ''),
        )
      }
      if (found.length === 0) unmatched.push(pattern)
      for (const file of found) files.set(`${part} ${file.path}`, file)
    }
  }
  return { files: [...files.values()], unmatched }
}

async function filesOf(pattern: string, part: UploadPart, cwd: string): Promise<UploadFile[]> {
  const paths: string[] = []
  if (wildcard.test(pattern)) for await (const path of glob(pattern, { cwd })) paths.push(path)
  else paths.push(pattern)
  const top = topOf(pattern, cwd)
  const found: UploadFile[] = []
  for (const path of paths.map((one) => resolve(cwd, one)).toSorted()) {
    const known = await stat(path).catch(() => undefined)
    if (known?.isFile() === true && top !== undefined && !(await isReallyWithin(top, path))) continue
    if (known?.isFile() === true) found.push({ part, path, name: nameOf(path, cwd), size: known.size })
    else if (known?.isDirectory() === true && paths.length === 1 && path === resolve(cwd, pattern)) {
      throw wrongUsage(`${pattern} is a folder. Say which of its files: ${pattern.replace(/\/+$/, '')}/**`)
    }
  }
  return found
}

const wildcard = /[*?[\]{}]/

/** What no match of a wildcard may lead out of by a link, which whoever wrote the tests may have left. */
function topOf(pattern: string, cwd: string): string | undefined {
  const start = pattern.search(wildcard)
  if (start < 0) return undefined
  const named = dirname(resolve(cwd, `${pattern.slice(0, start)}x`))
  return named === cwd || isWithin(cwd, named) ? cwd : named
}

async function isReallyWithin(folder: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realpath(folder), realpath(path)])
  return isWithin(top, real)
}

function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path)
  return name.startsWith('..') || isAbsolute(name) ? basename(path) : name.split(sep).join('/')
}

/** What the name says a file is, of those that many test runners leave. */
export function guessPart(path: string): 'reports' | 'coverage' {
  const name = basename(path).toLowerCase().replace(/\.gz$/, '')
  const isCoverage = /lcov|cobertura|jacoco|clover|coverage/.test(name) || /^cover(?:profile)?\.(?:out|txt)$/.test(name)
  return isCoverage ? 'coverage' : 'reports'
}

/** Files are read when they are sent, a little at a time. */
export async function makeForm(
  fields: Readonly<Record<string, string | undefined>>,
  files: readonly UploadFile[],
): Promise<FormData> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > mostBytes) {
    throw wrongUsage(
      `The files have ${(bytes / 1_048_576).toFixed(1)} MiB; an upload takes 50. Pack reports with gzip, ` +
        'or send several with the same --shard-key.',
    )
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
  for (const { part, path, name } of files) {
    const blob = await openAsBlob(path).catch(() => {
      throw wrongUsage(`${path} cannot be read.`)
    })
    form.append(part, blob, name)
  }
  return form
}
