import { formatRanges, hasLine, parseRanges, type Ranges } from '../coverage/ranges.ts'
import { posix } from 'node:path'
import type { Changes } from '../source/types.ts'
import { changedFiles } from '../verdicts/change/changed-files.ts'
import type { ChangedFile } from '../verdicts/change/facts.ts'

/** A file of a change, as it is stored: which lines it has now and which it had. */
export interface PatchFile {
  path: string
  /** Its path on the base; null for an added file. */
  before: string | null
  kind: ChangedFile['kind']
  change: ChangedFile['change']
  /** The lines that were added or modified, such as `4-9,12`; null for all lines of an added file. */
  lines: string | null
  /** The lines of the base that were removed or modified; null for all lines of a deleted file. */
  removed: string | null
  /** Other files of the head with the same name, which a report could mean; null if there are too many to tell. */
  namesakes: string[] | null
}

const maxNamesakes = 20

/**
 * Lists the files of a change.
 *
 * @param paths - the files of the head
 * @param isEmpty - whether a file of the head has no content: there is nothing to measure in it
 */
export function patchFiles(
  changes: Changes,
  paths: readonly string[],
  isEmpty: (path: string) => boolean = () => false,
): PatchFile[] {
  const byName = Map.groupBy(paths, (path) => posix.basename(path))
  return changedFiles(changes).map(({ path, before, kind, change, lines, removed, hunks }) => ({
    path,
    before,
    kind,
    change,
    lines: change === 'deleted' || isEmpty(path) ? '' : hunks === undefined ? null : formatRanges(lines),
    removed: before === null ? '' : hunks === undefined ? null : formatRanges(removed ?? []),
    namesakes: few((byName.get(posix.basename(path)) ?? []).filter((other) => other !== path)),
  }))
}

const few = (paths: string[]) => (paths.length > maxNamesakes ? null : paths)

const everyLine: Ranges = [[1, 2 ** 31]]

/** The lines of a `PatchFile` as ranges. */
export const rangesOf = (lines: string | null): Ranges => (lines === null ? everyLine : parseRanges(lines))

const script = /\.[cm]?[jt]sx?$/

/** Whether reports may count comments of the file as covered. */
export const mayCountComments = ({ path }: Pick<PatchFile, 'path'>): boolean => script.test(path)

/**
 * Returns a file without the lines that are blank in its code: blank lines and comments, which V8 counts as covered.
 *
 * @param code - as `codeWithoutComments` returns it
 */
export function withoutBlankLines(file: PatchFile, code: string): PatchFile {
  const changed = rangesOf(file.lines)
  const kept: [number, number][] = []
  for (const [index, line] of code.split('\n').entries()) {
    const number = index + 1
    if (line.trim() === '' || !hasLine(changed, number)) continue
    const last = kept.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else kept.push([number, number])
  }
  return { ...file, lines: formatRanges(kept) }
}
