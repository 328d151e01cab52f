import { ReportError, type ReportSource } from '../reports/report.ts'
import { plainText } from '../reports/text.ts'
import type { CoverageFormat, CoverageOptions } from './coverage.ts'
import { createFileMarks, type FileMarks } from './file-marks.ts'
import { commonFolder } from './find-root.ts'
import { areTooMany, type Identities, identityKey, maxIdentities } from './identities.ts'
import { markIdentity } from './identity-marks.ts'
import { type LineMarks, markLine, maxLine, pageSize } from './line-marks.ts'
import { mayBeInCheckout, type ReportedName, type ResolvedPath } from './paths.ts'

/** Lines of one report, as bytes of marks: far more than the largest repositories have. */
const maxLineBytes = 64 * 2 ** 20

/** Includes files outside of the repository, which may be the majority. */
const maxNames = 200_000
const maxNameCharacters = 32 * 2 ** 20
/** How many absolute names outside of the repository are kept, to find the folder that they share. */
const maxOutsideNames = 1_000

/** Receives the coverage of one file. `identity` identifies a branch or function on its line. */
export interface FileRecord {
  line: (line: number, covered: boolean) => void
  branch: (line: number, identity: string, covered: boolean) => void
  function: (line: number, identity: string, covered: boolean) => void
  /** The line on which a function begins. A report that does not tell it has none. */
  call: (line: number, called: boolean) => void
}

/** Receives the content of one report from a reader. */
export interface ReportRecord {
  /** The current line of the report, for errors; null if lines do not help. */
  at: number | null
  /** Returns null for a file outside of the repository, which does not count. */
  file: (reported: ReportedName) => FileRecord | null
  /** Adds the report's name to the message. Repeated messages count once. */
  warn: (message: string) => void
  fail: (problem: string, code?: ReportError['code']) => never
}

export type CoverageReader = (source: ReportSource, record: ReportRecord) => Promise<void>

export interface RecordOptions extends Pick<CoverageOptions, 'maxFiles' | 'warn' | 'rootHint'> {
  name: string
  format: CoverageFormat
  /** Separate, because there are many names of functions and few of branches. */
  identities: { branches: Identities; functions: Identities }
  findPath: (reported: ReportedName) => ResolvedPath
}

/** Collects one report separately, until all of it has been read. */
export function createRecord({ name, format, maxFiles, identities, findPath, warn, rootHint }: RecordOptions) {
  const files = new Map<string, FileMarks>()
  const named = new Map<string, FileRecord | null>()
  const warned = new Set<string>()
  const outside = { count: 0, first: '' }
  const absoluteNames: string[] = []
  const unclear = { count: 0, first: '' }
  let linesOfNothing = 0
  let lineBytes = 0
  let nameCharacters = 0
  let markedIdentities = 0

  const record: ReportRecord = {
    at: null,
    file(reported) {
      const key = [...reported.names, reported.module ?? ''].join('\n')
      let file = named.get(key)
      if (file === undefined) {
        nameCharacters += key.length
        if (named.size === maxNames || nameCharacters > maxNameCharacters)
          record.fail(`the report names more than ${maxNames} files`, 'too_large')
        named.set(key, (file = resolve(reported)))
      }
      return file
    },
    warn(message) {
      if (!warned.has(message)) warn(plainText(`${name}: ${message}`))
      warned.add(message)
    },
    fail(problem, code = 'malformed') {
      throw new ReportError(code, name, plainText(problem), record.at)
    },
  }

  function resolve(reported: ReportedName): FileRecord | null {
    const found = findPath(reported)
    const [first = ''] = reported.names
    if (found.kind === 'ambiguous') count(unclear, first)
    const path = found.kind === 'outside' ? null : found.path
    if (path === null) {
      if (found.kind === 'outside') {
        count(outside, first)
        if (mayBeInCheckout(first) && absoluteNames.length < maxOutsideNames) absoluteNames.push(first)
      }
      return null
    }
    let marks = files.get(path)
    if (marks === undefined && files.size === maxFiles)
      record.fail(`the report covers more than ${maxFiles} files`, 'too_large')
    if (marks === undefined) files.set(path, (marks = createFileMarks()))
    return recordOf(marks)
  }

  function recordOf({ lines, branches, functions, calls }: FileMarks): FileRecord {
    return {
      line(line, covered) {
        if (isLine(line)) markIn(lines, line, covered)
      },
      branch(line, identity, covered) {
        if (isLine(line)) mark('branches', branches, line, identity, covered)
      },
      // Not every tool writes the line of a function.
      function(line, identity, covered) {
        if (line === 0 || isLine(line)) mark('functions', functions, line, identity, covered)
      },
      call(line, called) {
        if (line !== 0 && isLine(line)) markIn(calls, line, called)
      },
    }
  }

  function markIn(marks: LineMarks, line: number, covered: boolean): void {
    const pages = marks.pages.size
    markLine(marks, line, covered)
    if (marks.pages.size === pages) return
    lineBytes += pageSize
    if (lineBytes > maxLineBytes) record.fail('the report names too many lines', 'too_large')
  }

  function isLine(line: number): boolean {
    if (line >= 1 && line <= maxLine && Number.isInteger(line)) return true
    if (line !== 0) record.fail(`${line} is not a line number (1 to ${maxLine})`)
    // Several tools report code that the compiler generated with line 0.
    linesOfNothing++
    return false
  }

  function mark(
    kind: 'branches' | 'functions',
    byFormat: FileMarks['branches'],
    line: number,
    identity: string,
    covered: boolean,
  ): void {
    let marks = byFormat.get(format)
    if (marks === undefined) byFormat.set(format, (marks = new Map()))
    const names = identities[kind]
    if (!markIdentity(marks, identityKey(names, line, identity), covered)) return
    markedIdentities++
    if (markedIdentities > maxIdentities || areTooMany(names))
      record.fail(`the report names more than ${maxIdentities} branches or functions`, 'too_large')
  }

  /** Warns of what does not count. `unmatched` are absolute names where no file is in the repository. */
  function finish(): { files: Map<string, FileMarks>; unmatched: readonly string[] } {
    const unmatched = files.size === 0 ? absoluteNames : []
    if (outside.count > 0) {
      const folder = rootHint === undefined ? null : commonFolder(unmatched)
      const hint = folder === null ? '' : `. All are in ${inOneLine(folder)}. ${rootHint}`
      record.warn(`files outside of the repository do not count: ${outside.count}, such as ${outside.first}${hint}`)
    }
    if (unclear.count > 0)
      record.warn(
        `names that fit several files of the repository cannot be mapped: ${unclear.count}, such as ${unclear.first}`,
      )
    if (linesOfNothing > 0) record.warn(`entries for line 0 do not count: ${linesOfNothing}`)
    if (named.size === 0) record.warn('the report is empty, because the tests loaded no source file')
    return { files, unmatched }
  }

  return { record, finish }
}

function count(tally: { count: number; first: string }, name: string): void {
  if (tally.count === 0) tally.first = inOneLine(name)
  tally.count++
}

const inOneLine = (name: string) => plainText(name.slice(0, 200)).replaceAll(/\s+/g, ' ')
