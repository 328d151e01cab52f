import { hash } from 'node:crypto'
import type { Hunk } from '../../source/types.ts'
import { meansAnother } from './altered-code.ts'
import { canRun } from './comments.ts'
import { cannotRunAfter, hasInheritance, isEmptyOfCode, isImport, leaves, onlyDeclares } from './code-lines.ts'
import type { ChangedFile, RestoredPart } from './facts.ts'
import { familyOf } from './patch-coverage.ts'

/** A part of a code file to restore alone, with the content of the file that results. */
export interface PartToRestore extends Omit<RestoredPart, 'outcome' | 'isMutant'> {
  content: string
  /** The same with all other code that the change removes from the file, which this part may need; null if there is none. */
  withRemoved: string | null
}

export interface RestoreInput {
  files: readonly ChangedFile[]
  /** Contents of the code files after and before the change. */
  sources: ReadonlyMap<string, string>
  sourcesBefore: ReadonlyMap<string, string>
  /** The files that the coverage of the head names; null if it was not measured. */
  measured: readonly string[] | null
  /** The largest number of parts of measured files. */
  count: number
  seed: string
}

/** The largest number of whole files. */
const maxFiles = 10
const maxCodeLength = 500

/**
 * Returns the parts of the changed code that are to be restored one by one: first the files that no coverage measures,
 * then code that the change only removes, then what it only adds, moves or alters, then what it replaces. Leaves out
 * comments, imports, new formatting, and added, removed or moved declarations.
 */
export function partsToRestore({
  files,
  sources,
  sourcesBefore,
  measured,
  count,
  seed,
}: RestoreInput): PartToRestore[] {
  const code = files.filter(({ kind, change }) => kind === 'code' && change !== 'deleted')
  const measures = measured && new Set(measured.map(familyOf))
  const added = new Set<string>()
  const whole: PartToRestore[] = []
  const hunked: ChangedFile[] = []
  for (const file of code) {
    const { path, hunks = [] } = file
    const lines = (sources.get(path) ?? '').split('\n')
    for (const { newStart, newLines } of file.change === 'added' ? [] : hunks)
      for (const line of lines.slice(newStart - 1, newStart - 1 + newLines)) added.add(line.trim())
    const isMeasured = measures === null || measures.has(familyOf(path))
    if (file.isVendored || file.isDisguised || !isMeasured) whole.push(...wholeFile(file, sources, sourcesBefore))
    else hunked.push(file)
  }
  const parts = hunked.flatMap((file) => partsOf(file, sources, sourcesBefore, added))
  const rank = ({ path, line, kind }: PartToRestore) =>
    (kind === 'removal' ? '0' : kind === 'replacement' ? '2' : '1') + hash('sha256', JSON.stringify([seed, path, line]))
  const ranked = parts.map((part) => ({ part, rank: rank(part) })).toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
  return [...whole.slice(0, maxFiles), ...ranked.slice(0, count).map(({ part }) => part)]
}

/** The whole file as it was. A file that the change adds becomes empty. */
function wholeFile(
  { path, before, hunks = [], change }: ChangedFile,
  sources: RestoreInput['sources'],
  sourcesBefore: RestoreInput['sourcesBefore'],
): PartToRestore[] {
  const now = sources.get(path)
  const old = before === null ? '' : sourcesBefore.get(before)
  if (now === undefined || old === undefined || now === old || !canRun(path, now)) return []
  const hasCode = change !== 'changed' || hunks.length === 0 || hunks.some((hunk) => isOfCode(hunk, { path, now, old }))
  if (!hasCode) return []
  const line = hunks[0]?.newStart ?? 1
  return [{ path, line: Math.max(1, line), kind: 'file', now: '', before: '', content: old, withRemoved: null }]
}

function isOfCode(
  { oldStart, oldLines, newStart, newLines }: Hunk,
  { path, now, old }: Record<'path' | 'now' | 'old', string>,
) {
  const lines = [...sliceOf(old.split('\n'), oldStart, oldLines), ...sliceOf(now.split('\n'), newStart, newLines)]
  return lines.some((line) => !isEmptyOfCode(line, path))
}

/** Replaces `count` lines of the present code from the index `at` by earlier ones. */
interface Edit {
  hunk: Hunk
  at: number
  count: number
  lines: readonly string[]
}

function partsOf(
  { path, before, change, hunks = [] }: ChangedFile,
  sources: RestoreInput['sources'],
  sourcesBefore: RestoreInput['sourcesBefore'],
  added: ReadonlySet<string>,
): PartToRestore[] {
  const now = sources.get(path)?.split('\n')
  const old = before === null ? undefined : sourcesBefore.get(before)?.split('\n')
  if (change !== 'changed' || now === undefined || old === undefined || !canRun(path, sources.get(path))) return []
  const inherits = hasInheritance(old)
  const removedLines = new Set(
    hunks.flatMap(({ oldStart, oldLines }) => sliceOf(old, oldStart, oldLines).map((line) => line.trim())),
  )
  /** Removed code of any kind. */
  const gone: Edit[] = []
  const edits: (Edit & { kind: RestoredPart['kind'] })[] = []
  const moves = movesOf(hunks, old, now, path)
  const moved = new Set(moves.flat())
  for (const hunk of hunks.filter((changed) => !moved.has(changed))) {
    const { oldStart, oldLines, newStart, newLines } = hunk
    const at = newLines === 0 ? newStart : newStart - 1
    const removed = sliceOf(old, oldStart, oldLines)
    const inserted = sliceOf(now, newStart, newLines)
    const isCode = (lines: readonly string[], from: number) => (line: string, index: number) =>
      !isEmptyOfCode(line, path) && !isImport(lines, from - 1 + index)
    const oldCode = removed.filter(isCode(old, oldStart))
    const newCode = inserted.filter(isCode(now, newStart))
    const isRemoval = (lines: readonly string[]) =>
      lines.some((line) => !isEmptyOfCode(line, path) && !added.has(line.trim())) &&
      !onlyDeclares(lines, path, inherits)
    const remove = (edit: Edit) => {
      if (edit.lines.length === 0) return
      gone.push(edit)
      if (oldCode.length === 0 || !isRemoval(edit.lines) || cannotRunAfter(now.slice(0, edit.at), edit.lines, path))
        return
      edits.push({ ...edit, kind: 'removal' })
    }
    const whole = { hunk, at, count: inserted.length, lines: removed }
    const imports = [removed, inserted].map((lines) => lines.filter((line) => !isEmptyOfCode(line, path)))
    if (newCode.length === 0) {
      // The same names may come from other modules.
      const isRebound = oldCode.length === 0 && imports.every(({ length }) => length > 0)
      if (isRebound && !isSameText(removed, inserted, path)) edits.push({ ...whole, kind: 'replacement' })
      else remove(whole)
      continue
    }
    if (isSameText(oldCode, newCode, path)) continue
    // Whatever uses a new function cannot be loaded without it.
    if (oldCode.length === 0 && onlyDeclares(inserted, path, false)) continue
    const isAddition = oldCode.length === 0 && newCode.every((line) => !removedLines.has(line.trim()))
    const isOther = meansAnother(oldCode.join('\n'), newCode.join('\n'))
    edits.push({ ...whole, kind: isAddition ? 'addition' : isOther ? 'alteration' : 'replacement' })
    // A diff joins removed lines with changed ones next to them.
    const { first, last } = replacedWithin(removed, newCode)
    remove({ hunk, at, count: 0, lines: removed.slice(0, first) })
    remove({ hunk, at: at + inserted.length, count: 0, lines: removed.slice(last + 1) })
  }
  for (const pair of moves) {
    const lines = pair.flatMap(({ oldStart, oldLines }) => sliceOf(old, oldStart, oldLines))
    if (onlyDeclares(lines, path, inherits)) continue
    const edit = undone(pair, old, now)
    const isOverExit = edit.lines.some((line) => leaves(line))
    edits.push({ ...edit, kind: isOverExit ? 'move' : 'replacement' })
  }
  return edits.map((edit) => {
    const isInside = ({ at }: Edit) => at >= edit.at && at <= edit.at + edit.count
    const others = gone.filter((other) => other.hunk !== edit.hunk && !isInside(other))
    return {
      path,
      line: Math.min(edit.at + 1, now.length),
      kind: edit.kind,
      now: textOf(now.slice(edit.at, edit.at + edit.count)),
      before: textOf(edit.lines),
      content: applied(now, [edit]),
      withRemoved: others.length === 0 ? null : applied(now, [edit, ...others]),
    }
  })
}

/** Returns pairs of hunks of which one adds the code that the other one removes. */
function movesOf(hunks: readonly Hunk[], old: readonly string[], now: readonly string[], path: string): [Hunk, Hunk][] {
  const codeOf = (lines: readonly string[]) =>
    lines.flatMap((line) => (isEmptyOfCode(line, path) ? [] : line.trim())).join('\n')
  const removals = hunks.filter(({ newLines }) => newLines === 0)
  const byCode = Map.groupBy(removals, ({ oldStart, oldLines }) => codeOf(sliceOf(old, oldStart, oldLines)))
  return hunks.flatMap((hunk): [Hunk, Hunk][] => {
    if (hunk.oldLines > 0) return []
    const code = codeOf(sliceOf(now, hunk.newStart, hunk.newLines))
    const from = code === '' ? undefined : byCode.get(code)?.shift()
    return from === undefined ? [] : [[hunk, from]]
  })
}

/** Returns the edit that takes moved code back over the present code between its two places. */
function undone([to, from]: readonly [Hunk, Hunk], old: readonly string[], now: readonly string[]): Edit {
  const code = sliceOf(old, from.oldStart, from.oldLines)
  const [begin, end, origin] = [to.newStart - 1, to.newStart - 1 + to.newLines, from.newStart]
  return origin < end
    ? { hunk: to, at: origin, count: end - origin, lines: [...code, ...now.slice(origin, begin)] }
    : { hunk: to, at: begin, count: origin - begin, lines: [...now.slice(end, origin), ...code] }
}

/** Returns the lines that the inserted ones replace: from the first to the last that resembles one of them. */
function replacedWithin(removed: readonly string[], inserted: readonly string[]): { first: number; last: number } {
  const words = inserted.map(wordsOf)
  const resembles = (line: string) => words.some((others) => share(wordsOf(line), others) > 0.5)
  const first = removed.findIndex(resembles)
  // Without any, all of the lines gave way to the new ones.
  return first < 0 ? { first: 0, last: removed.length - 1 } : { first, last: removed.findLastIndex(resembles) }
}

const wordsOf = (line: string) => new Set(line.match(/[\w$]+|[^\w\s$]/g))

const share = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one.size + other.size === 0 ? 0 : (2 * one.intersection(other).size) / (one.size + other.size)

/** Whether two texts differ only in blanks. The depth of a line matters where there are no brackets. */
function isSameText(one: readonly string[], other: readonly string[], path: string): boolean {
  const squeezed = (lines: readonly string[]) =>
    /\.pyi?$/.test(path)
      ? lines.map((line) => line.trimEnd()).join('\n')
      : lines
          .join('')
          .replace(/\s+/g, '')
          .replace(/,(?=[)\]}])|;$/g, '')
  return squeezed(one) === squeezed(other)
}

const sliceOf = (lines: readonly string[], start: number, count: number) =>
  count === 0 ? [] : lines.slice(start - 1, start - 1 + count)

const textOf = (lines: readonly string[]) => lines.join('\n').trim().slice(0, maxCodeLength)

function applied(lines: readonly string[], edits: readonly Edit[]): string {
  const result = [...lines]
  // Equal places cannot happen, because hunks have lines between them.
  for (const { at, count, lines: old } of edits.toSorted((a, b) => b.at - a.at)) result.splice(at, count, ...old)
  return result.join('\n')
}
