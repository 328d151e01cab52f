import type { ReportSource } from '../reports/report.ts'
import { createLineMarks, type LineMarks, markLine, maxLine, rangesOf } from './line-marks.ts'
import { isAbsolute } from './paths.ts'
import type { FileRecord, ReportRecord } from './record.ts'
import { countedBranches, eachElement, readCount } from './xml.ts'

const maxSources = 50
const maxPath = 4_096

/**
 * Cobertura as Java, coverage.py, coverlet, gcovr and the Go converters write it. Several classes may be of one file; a
 * file's name is relative to one of the sources, or absolute, or to be found in the repository. Branches are known as
 * so many of a line; functions by class, name and signature, covered where a line of theirs is.
 */
export async function readCobertura(source: ReportSource, record: ReportRecord): Promise<void> {
  const sources: string[] = []
  let file: FileRecord | null = null
  let className = ''
  // The lines of a class repeat these, except the first lines of methods, which JavaScript tools add here.
  let linesOfMethods = createLineMarks()
  let hasOwnLines = false
  let method: { identity: string; firstLine: number; isCovered: boolean } | null = null

  await eachElement(source, record, {
    withText: ['source'],
    open(name, attributes) {
      if (name === 'class') {
        const filename = attributes['filename'] ?? record.fail('a class has no filename')
        className = attributes['name'] ?? ''
        file = record.file({ names: namesOf(filename, sources) })
        linesOfMethods = createLineMarks()
        hasOwnLines = false
      } else if (name === 'method') {
        const identity = [className, attributes['name'], attributes['signature']].join('\n')
        method = { identity, firstLine: 0, isCovered: Number(attributes['hits'] ?? 0) > 0 }
      } else if (name === 'line' && file !== null) {
        const line = readCount(attributes['number'], 'line number', record)
        const covered = readCount(attributes['hits'], 'count of hits', record) > 0
        if (method === null) {
          hasOwnLines = true
          file.line(line, covered)
        } else {
          method.isCovered ||= covered
          method.firstLine ||= line
          if (line >= 1 && line <= maxLine) markLine(linesOfMethods, line, covered)
        }
        readConditions(line, attributes['condition-coverage'], file, record)
      }
    },
    close(name, text) {
      if (name === 'source' && sources.length < maxSources) sources.push(...folderOf(text.trim()))
      if (name === 'method' && method !== null) {
        file?.function(0, method.identity, method.isCovered)
        file?.call(method.firstLine, method.isCovered)
        method = null
      }
      if (name === 'class' && file !== null) {
        if (!hasOwnLines) takeLines(linesOfMethods, file)
        file = null
      }
    },
  })
}

function takeLines(lines: LineMarks, file: FileRecord): void {
  for (const kind of ['covered', 'uncovered'] as const)
    for (const [first, last] of rangesOf(kind, lines))
      for (let line = first; line <= last; line++) file.line(line, kind === 'covered')
}

/** "50% (1/2)" */
function readConditions(line: number, text: string | undefined, file: FileRecord, record: ReportRecord): void {
  const [, covered, total] = /\((\d{1,9})\/(\d{1,9})\)/.exec(text ?? '') ?? []
  if (covered === undefined || total === undefined) return
  for (const [identity, taken] of countedBranches(Number(covered), Number(total), record))
    file.branch(line, identity, taken)
}

function namesOf(filename: string, sources: readonly string[]): string[] {
  if (isAbsolute(filename)) return [filename]
  // The name alone comes last, for reports whose sources are on another machine.
  return [...sources.map((source) => `${source}/${filename}`), filename]
}

/** A source without slashes at its end; nothing for a text that is no path, since every class repeats the sources. */
function folderOf(source: string): string[] {
  return source === '' || source.length > maxPath ? [] : [source.replace(/(?<![\\/])[\\/]+$/, '')]
}
