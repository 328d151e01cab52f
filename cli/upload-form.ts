import { openAsBlob, type Stats } from 'node:fs'
import { glob, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { UploadPart } from '../core/test-runs/uploads/schema.ts'
import { wrongUsage } from './failure.ts'
import { isWithin } from './write-tests.ts'

/** The limit of core, less some room for the form itself. */
const maxUploadBytes = 50 * 1_048_576 - 65_536

export interface UploadFile {
  part: UploadPart
  /** Absolute. */
  path: string
  /** Relative to the working directory, which is how core names the file. */
  name: string
  size: number
  /** In milliseconds. */
  modifiedAt: number
}

/** Glob patterns; a pattern without a wildcard names a file. */
export type Patterns = Readonly<Record<UploadPart, readonly string[]>>

/**
 * Finds the files that match the patterns, each once.
 *
 * @returns the files, and the patterns for artifacts that match none, because only some builds write artifacts
 */
export async function findFiles(
  patterns: Patterns,
  cwd: string,
): Promise<{ files: UploadFile[]; unmatched: string[] }> {
  const { files, unmatched } = await findMatches(patterns, cwd)
  const missing = unmatched.find(({ part }) => part !== 'artifacts')
  if (missing) {
    const { part, pattern } = missing
    throw wrongUsage(
      `No file matches ${pattern} (${part}) in ${cwd}. Check where the tests write it.` +
        (isWildcard(pattern) ? ' Wildcards do not follow symbolic links out of the folder.' : ''),
    )
  }
  return { files, unmatched: unmatched.map(({ pattern }) => pattern) }
}

/** Finds the files that match the patterns, each once, and the patterns that match none. */
export async function findMatches(
  patterns: Patterns,
  cwd: string,
): Promise<{ files: UploadFile[]; unmatched: { part: UploadPart; pattern: string }[] }> {
  const files = new Map<string, UploadFile>()
  const unmatched: { part: UploadPart; pattern: string }[] = []
  for (const part of UploadPart.options) {
    for (const pattern of patterns[part]) {
      const found = await filesOf(pattern, part, cwd)
      if (found.length === 0) unmatched.push({ part, pattern })
      for (const file of found) files.set(`${part} ${file.path}`, file)
    }
  }
  return { files: [...files.values()], unmatched }
}

async function filesOf(pattern: string, part: UploadPart, cwd: string): Promise<UploadFile[]> {
  const paths: string[] = []
  if (isWildcard(pattern)) for await (const path of glob(pattern, { cwd })) paths.push(path)
  else paths.push(pattern)
  const top = topOf(pattern, cwd)
  const found: UploadFile[] = []
  for (const path of paths.map((one) => resolve(cwd, one)).toSorted()) {
    const known = await stat(path).catch(() => undefined)
    if (known?.isFile() === true && top !== undefined && !(await isReallyWithin(top, path))) continue
    if (known?.isFile() === true) found.push(describeFile(part, path, known, cwd))
    else if (known?.isDirectory() === true && paths.length === 1 && path === resolve(cwd, pattern)) {
      throw wrongUsage(`${pattern} is a folder. Name its files: ${pattern.replace(/(?<!\/)\/+$/, '')}/**`)
    }
  }
  return found
}

const wildcard = /[*?[\]{}]/

export const isWildcard = (pattern: string) => wildcard.test(pattern)

/** The folder that symbolic links must not lead out of: the tests may have created them. */
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

export const describeFile = (
  part: UploadPart,
  path: string,
  { size, mtimeMs: modifiedAt }: Pick<Stats, 'size' | 'mtimeMs'>,
  cwd: string,
): UploadFile => ({ part, path, name: nameOf(path, cwd), size, modifiedAt })

function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path)
  return name.startsWith('..') || isAbsolute(name) ? basename(path) : name.split(sep).join('/')
}

/** Guesses the kind of a file by the names that common test runners use. */
export function guessPart(path: string): 'reports' | 'coverage' {
  const name = basename(path).toLowerCase().replace(/\.gz$/, '')
  const isCoverage = /lcov|cobertura|jacoco|clover|coverage/.test(name) || /^cover(?:profile)?\.(?:out|txt)$/.test(name)
  return isCoverage ? 'coverage' : 'reports'
}

/** Streams the files when the form is sent. */
export async function makeForm(
  fields: Readonly<Record<string, string | undefined>>,
  files: readonly UploadFile[],
): Promise<FormData> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxUploadBytes) {
    throw wrongUsage(
      `The files have ${(bytes / 1_048_576).toFixed(1)} MiB; the maximum is 50 MiB. Compress reports with gzip, ` +
        'or use several uploads with the same --shard-key.',
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
