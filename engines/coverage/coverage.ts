import type { ReportSource } from '../reports/report.ts'

/** Covered and total numbers of lines, branches or functions. */
export interface Share {
  covered: number
  total: number
}

/** How many branches of a line were taken. */
export interface LineBranches {
  line: number
  taken: number
  total: number
}

/** Coverage of one file, from one or more reports. */
export interface FileCoverage {
  /** Relative to the repository, with slashes. */
  path: string
  /** Line numbers from 1, ascending, as ranges: `[[1, 4], [9, 9]]`. */
  coveredLines: readonly (readonly [number, number])[]
  uncoveredLines: readonly (readonly [number, number])[]
  lines: Share
  /** Null if the report does not contain them. */
  branches: Share | null
  functions: Share | null
  /** Lines of which not every branch was taken, ascending; null if the report does not contain branches. */
  partialBranches: readonly LineBranches[] | null
  /** Lines of which every branch was taken, ascending; null if the report does not contain branches. */
  completeBranches: readonly LineBranches[] | null
  /** Lines on which functions begin of which none was called, as ranges. Empty if the report does not tell. */
  uncalledLines: readonly (readonly [number, number])[]
}

export const coverageFormats = ['lcov', 'cobertura', 'istanbul', 'go-cover', 'jacoco', 'clover'] as const
export type CoverageFormat = (typeof coverageFormats)[number]

export interface CoverageOptions {
  /** Folders that absolute paths in the report begin with; removed from paths. */
  roots: readonly string[]
  /**
   * The paths of the commit, to which names of packages and modules are mapped ("com/acme/A.java" is
   * "app/src/main/java/com/acme/A.java"). Null if unknown: names stay as they are.
   */
  paths: readonly string[] | null
  /** Go modules of the repository, to map packages to folders; `folder` is empty for the root. */
  goModules?: readonly { path: string; folder: string }[]
  /** Ends the warning about a report of which no file is in the repository: says how to set `roots`. */
  rootHint?: string
  maxBytes: number
  maxFiles: number
  warn: (message: string) => void
}

/**
 * Collects coverage of one run from any number of reports of any format; a line that one of them covers is covered.
 * Memory is proportional to the number of lines of the program, not to the size of the reports.
 */
export interface CoverageCollector {
  /** @throws ReportError for an unreadable report; earlier coverage does not change */
  add(source: ReportSource): Promise<CoverageFormat>
  /** One by one, sorted by path. */
  files(): Iterable<FileCoverage>
  /** How many branches of each line of a file were reached, ascending, for lines with any. */
  reachedBranches(path: string): readonly (readonly [line: number, count: number])[]
  /** Absolute names of reports of which no file is in the repository, up to 1,000 of each: see `findRoot`. */
  unmatched(): readonly string[]
  /** Percent of lines, rounded to two decimals; null without any line. */
  percent(): number | null
}
