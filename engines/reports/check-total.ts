import type { Line } from './lines.ts'
import { type ReadOptions, ReportError, type ReportSource } from './report.ts'

/**
 * Compares the total that a report announces with the number of items found.
 *
 * @throws ReportError `malformed` if nothing was found and the report does not announce 0
 */
export function checkTotal(
  source: ReportSource,
  options: ReadOptions,
  what: string,
  announced: number | undefined,
  found: number,
): void {
  if (announced === found) return
  if (found === 0) {
    const problem =
      announced === undefined ? `the report has no ${what}` : `the report announces ${announced} ${what} and has none`
    throw new ReportError('malformed', source.name, problem)
  }
  if (announced !== undefined)
    options.warn(`${source.name}: the report announces ${announced} ${what} and has ${found}`)
}

/** Warns if the last line has no end, which complete reports have. */
export function warnOfOpenLine(source: ReportSource, options: ReadOptions, line: Line): void {
  if (!line.ended) options.warn(`${source.name}: the file ends in the middle of line ${line.number} and may be cut off`)
}
