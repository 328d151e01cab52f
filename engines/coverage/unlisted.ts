import { dirname, extname } from 'node:path/posix'
import type { Changes } from '../source/types.ts'
import { type CarriedCoverage, type CarriedFile, carryCoverage } from './carry-over.ts'
import { findModules, inModuleFolder } from './find-modules.ts'
import { type MeasuredRow, mergeMeasured, rowOfWholeRun } from './measured.ts'

/** More lines than any file has. */
const lastLine = 10_000_000

const manifest =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|[^/]+\.(?:gemspec|csproj))$/

/** Tests, their helpers and packages, which the tools that measure leave out even where they run. */
const leftOut =
  /(?:^|\/)(?:node_modules|vendor|coverage|tests?|__tests__|__mocks__|specs?|features|e2e|cypress|\.[^/]+)\/|(?:^|\/)(?:tests?[-_.][^/]*|conftest\.py)$|[._-](?:tests?|spec)\.\w+$|\.d\.[cm]?ts$|\.config\.\w+$/

/**
 * Finds the files that the coverage of a whole run does not list: no test loaded them. This is known where the run
 * measured product files of the same language in the folder, or in a folder around it in the same package. Settings may
 * keep other folders out of a measurement.
 *
 * @param paths - the files of the commit
 * @param changes - what changed since the measurement; nothing is known of these files
 */
export function unlistedFiles(
  measured: ReadonlyMap<string, unknown>,
  paths: readonly string[],
  { changed, added }: Pick<Changes, 'changed' | 'added'>,
): Map<string, CarriedFile> {
  const packages = new Set(paths.filter((path) => manifest.test(path)).map((path) => dirname(path)))
  const seen = new Set(
    [...measured.keys()].filter((path) => !leftOut.test(path)).map((path) => keyOf(dirname(path), path)),
  )
  const isKnown = (path: string) => {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (seen.has(keyOf(folder, path))) return true
      if (folder === '.' || packages.has(folder)) return false
    }
  }
  return new Map(
    paths
      .filter((path) => !measured.has(path) && !changed.has(path) && !added.has(path) && !leftOut.test(path))
      .filter((path) => isKnown(path))
      .map((path) => [path, { covered: [], uncovered: [[1, lastLine]], partialBranches: null, changed: [] }]),
  )
}

const keyOf = (folder: string, path: string) => `${folder}\0${extname(path)}`

/** Uploads from before the first analysis name the files of Go by their modules. */
function inModules(rows: readonly MeasuredRow[], paths: readonly string[]): readonly MeasuredRow[] {
  const modules = findModules(
    rows.map(([path]) => path),
    paths,
  )
  if (modules.length === 0) return rows
  return rows.map(([path, ...measured]) => [inModuleFolder(path, modules), ...measured])
}

/**
 * Merges what was measured of an earlier commit, moves it to a later one, and finds the files that no test loaded.
 *
 * @param paths - the files of the later commit
 */
export function carryMeasured(
  rows: readonly MeasuredRow[],
  changes: Changes,
  paths: readonly string[],
): CarriedCoverage & { unlisted: Map<string, CarriedFile> } {
  const measured = mergeMeasured(inModules(rows, paths))
  const isWhole = measured.delete(rowOfWholeRun[0])
  const carried = carryCoverage(measured, changes, new Set(paths))
  return { ...carried, unlisted: isWhole ? unlistedFiles(carried.files, paths, changes) : new Map() }
}
