import type { ReportSource } from '../reports/report.ts'
import { eachLine } from './byte-lines.ts'
import { maxIdentities } from './identities.ts'
import type { FileRecord, ReportRecord } from './record.ts'

const letterD = 0x44
const letterA = 0x41
const colon = 0x3a
const comma = 0x2c
const zero = 0x30
const nine = 0x39

/** Longer numbers are not line numbers. */
const maxDigits = 9

/**
 * LCOV as geninfo, gcovr, llvm-cov and the JavaScript tools write it, up to version 2: a section for each file, several
 * for one file added up, the last one perhaps without its end. Branches are known by line, block and number, functions
 * by name, in LCOV 2 by line.
 */
export async function readLcov(source: ReportSource, record: ReportRecord): Promise<void> {
  let file: FileRecord | null = null
  let isInSection = false
  const linesOfFunctions = new Map<string, number>()
  const functions = namedFunctions(record)

  await eachLine(source, record, (bytes, start, end) => {
    if (bytes[start] === letterD && bytes[start + 1] === letterA && bytes[start + 2] === colon) {
      if (!isInSection) record.fail('a line of coverage comes before the name of its file (SF:)')
      if (file !== null) readLine(bytes, start + 3, end, file, record)
    } else if (end > start) readText(bytes.toString('utf8', start, end))
  })
  functions.finish(file)

  function readText(text: string): void {
    const at = text.indexOf(':')
    const key = at === -1 ? text.trim() : text.slice(0, at).trim()
    const value = text.slice(at + 1)
    if (key === 'SF') {
      functions.finish(file)
      linesOfFunctions.clear()
      isInSection = true
      file = record.file({ names: [value.trim()] })
    } else if (key === 'end_of_record') {
      functions.finish(file)
      isInSection = false
      file = null
    } else if (file !== null) readMark(key, value, file)
    else if (!isKnownKey(key)) record.fail(`"${text.slice(0, 40)}" is not a line of LCOV`)
  }

  function readMark(key: string, value: string, file: FileRecord): void {
    if (key === 'BRDA') readBranch(value, file, record)
    else if (key === 'FNDA') {
      const [count = '', name = ''] = split(value, 2)
      const isCalled = isMoreThanNone(count, record)
      file.function(0, name, isCalled)
      functions.count(name, isCalled)
    } else if (key === 'FN') {
      // Line, in LCOV 2 perhaps the last line, and the name, which may have commas.
      const [, line = '', name = ''] =
        /^\s*(\d+),(?:\d+,)?(.*)$/.exec(value) ?? record.fail(`"${value.slice(0, 40)}" is not a function`)
      file.function(0, name, false)
      functions.begin(name, readNumber(line, record))
    } else if (key === 'FNL') {
      const [index = '', line = ''] = split(value, 3)
      linesOfFunctions.set(index, readNumber(line, record))
      file.function(readNumber(line, record), '', false)
    } else if (key === 'FNA') {
      // Several names of one function, as for templates, count as one function.
      const [index = '', count = ''] = split(value, 3)
      const line =
        linesOfFunctions.get(index) ?? record.fail(`function ${index.slice(0, 20)} has no FNL line before it`)
      const isCalled = isMoreThanNone(count, record)
      file.function(line, '', isCalled)
      file.call(line, isCalled)
    } else if (!isKnownKey(key)) record.fail(`"${key.slice(0, 40)}" is not a line of LCOV`)
  }
}

/** V8's functions for the fields of a class, which begin on the line of the first field. */
const fieldsOfClass = /^<(?:instance_members|static)_initializer>$/

/**
 * Finds out which functions of a section were called. LCOV 1 writes their lines and their counts separately, with their
 * names. Functions of one name are counted in the order of their lines.
 */
function namedFunctions(record: ReportRecord) {
  const known = new Map<string, { lines: number[]; calls: boolean[] }>()
  let size = 0
  const of = (name: string) => {
    size++
    if (size > 2 * maxIdentities) record.fail(`the report names more than ${maxIdentities} functions`, 'too_large')
    let found = known.get(name)
    if (found === undefined) known.set(name, (found = { lines: [], calls: [] }))
    return found
  }
  return {
    begin(name: string, line: number): void {
      if (!fieldsOfClass.test(name)) of(name).lines.push(line)
    },
    count: (name: string, isCalled: boolean) => void of(name).calls.push(isCalled),
    finish(file: FileRecord | null): void {
      for (const { lines, calls } of known.values()) {
        if (calls.length === 0) continue
        const isAnyCalled = calls.includes(true)
        for (const [index, line] of lines.entries())
          file?.call(line, lines.length === calls.length ? calls[index] === true : isAnyCalled)
      }
      known.clear()
      size = 0
    },
  }
}

/** Reads `line,count[,checksum]`. These lines take most of the time, so plain numbers are read from bytes. */
function readLine(bytes: Buffer, start: number, end: number, file: FileRecord, record: ReportRecord): void {
  let at = start
  let line = 0
  for (; isDigit(bytes[at]) && at - start < maxDigits; at++) line = line * 10 + (bytes[at] ?? 0) - zero
  let covered = false
  if (at > start && bytes[at] === comma && isDigit(bytes[at + 1])) {
    for (at++; at < end && isDigit(bytes[at]); at++) covered ||= bytes[at] !== zero
    if (at === end || bytes[at] === comma) return file.line(line, covered)
  }
  const [lineText = '', count = ''] = split(bytes.toString('latin1', start, end), 3)
  file.line(readNumber(lineText, record), isMoreThanNone(count, record))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

/** `line,[e]block,branch,taken`, where `e` marks branches of exceptions and `-` that the line was never reached. */
function readBranch(value: string, file: FileRecord, record: ReportRecord): void {
  const first = value.indexOf(',')
  const last = value.lastIndexOf(',')
  const identity = value.slice(first + 1, last)
  if (first === last || !identity.includes(',')) record.fail(`"${value.slice(0, 40)}" is not a branch`)
  const taken = value.slice(last + 1).trim()
  file.branch(readNumber(value.slice(0, first), record), identity, taken !== '-' && isMoreThanNone(taken, record))
}

/** Splits at commas into at most `parts` parts; the last has the rest. */
function split(value: string, parts: number): string[] {
  const found = value.split(',')
  return found.length <= parts ? found : [...found.slice(0, parts - 1), found.slice(parts - 1).join(',')]
}

function readNumber(text: string, record: ReportRecord): number {
  const trimmed = text.trim()
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : record.fail(`"${trimmed.slice(0, 40)}" is not a line number`)
}

/** Counts may be larger than exact numbers, have exponents, and be negative if a counter of gcov overflowed. */
function isMoreThanNone(text: string, record: ReportRecord): boolean {
  const trimmed = text.trim()
  if (trimmed === '0') return false
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed)) record.fail(`"${trimmed.slice(0, 40)}" is not a count`)
  if (trimmed.startsWith('-')) record.warn('negative counts are read as 0')
  return !trimmed.startsWith('-') && /^[^e]*[1-9]/i.test(trimmed)
}

/** Keys that are ignored: MC/DC, versions, sums and comments. */
function isKnownKey(key: string): boolean {
  return (
    key === '' ||
    key.startsWith('#') ||
    /^(?:TN|VER|KF|FN|FNDA|FNL|FNA|FNF|FNH|BRDA|BRF|BRH|LF|LH|MCDC|MCF|MCH|DA)$/.test(key)
  )
}
