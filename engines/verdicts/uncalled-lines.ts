import { clipRanges, formatRanges, parseRanges, type Ranges, uniteRanges, withoutRanges } from '../coverage/ranges.ts'
import { readSource, type SourceFile } from '../parsing/source-file.ts'
import { taskAt, type TaskRunner, type TaskWork } from '../processes/tasks.ts'
import type { Measured, MeasuredFile } from './outcome.ts'

/** `covered` and `uncalled` as in `MeasuredFile`. */
export type UncalledLinesInput = SourceFile & { covered: string; uncalled: string }
export type UncalledLinesWork = TaskWork<UncalledLinesInput, Ranges>

const task = taskAt<UncalledLinesWork>(new URL('uncalled-lines-task.ts', import.meta.url))

/** More files are not read. */
const maxFiles = 200

type Read = (path: string) => Promise<string | null> | string | null

/** Corrects a coverage: see `withoutUncalledLines`. */
export type CorrectCoverage = (measured: Measured) => Promise<Measured>

/** Returns a function that corrects the coverage of some files of one checkout. It corrects each coverage once. */
export function coverageOfCalls(runner: TaskRunner, paths: readonly string[], read: Read): CorrectCoverage {
  const known = new WeakMap<Measured, Promise<Measured>>()
  return (measured) => {
    const found = known.get(measured) ?? withoutUncalledLines(runner, measured, paths, read)
    known.set(measured, found)
    return found
  }
}

/**
 * Counts lines as not covered whose only code is in functions that were not called, such as
 * `export const twice = (a) => a * 2`: tools report that these lines ran when the code was loaded. Other files than
 * those of `paths` stay as they are.
 */
export async function withoutUncalledLines(
  runner: TaskRunner,
  measured: Measured,
  paths: readonly string[],
  read: Read,
): Promise<Measured> {
  const files: Measured['files'] = Object.assign(Object.create(null), measured.files)
  // Of any coverage of a checkout the same files, so that corrected ones are comparable.
  for (const path of paths.slice(0, maxFiles)) {
    const file = files[path]
    const source = file && declaresOnCovered(file) ? await read(path) : null
    if (!file || source === null) continue
    const { covered, uncalled = '' } = file
    const lines = (await readSource(runner, task, { path, source, covered, uncalled })) ?? []
    files[path] = withoutLines(file, lines)
  }
  return { files }
}

function declaresOnCovered({ covered, uncalled = '' }: MeasuredFile): boolean {
  const lines = parseRanges(covered)
  return parseRanges(uncalled).some(([first, last]) => clipRanges(lines, first, last).length > 0)
}

function withoutLines(file: MeasuredFile, lines: Ranges): MeasuredFile {
  const covered = parseRanges(file.covered)
  const left = withoutRanges(covered, lines)
  return {
    ...file,
    covered: formatRanges(left),
    uncovered: formatRanges(uniteRanges(parseRanges(file.uncovered), withoutRanges(covered, left))),
  }
}
