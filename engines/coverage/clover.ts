import type { ReportSource } from '../reports/report.ts'
import type { FileRecord, ReportRecord } from './record.ts'
import { countedBranches, eachElement, readCount } from './xml.ts'

/**
 * Clover as PHPUnit, the JavaScript tools and Clover itself write it. Lines are those of statements and conditions: a
 * line of type `method` is where a function begins, and says whether it was called. The JavaScript tools have in
 * `truecount` how many branches of a line were taken and in `falsecount` how many were not; everybody else, how often
 * a condition was true and false.
 */
export async function readClover(source: ReportSource, record: ReportRecord): Promise<void> {
  let isIstanbul = false
  let file: FileRecord | null = null

  await eachElement(source, record, {
    open(name, attributes) {
      if (name === 'project') isIstanbul = attributes['name'] === 'All files'
      else if (name === 'file') {
        const names = [attributes['path'], attributes['name']].filter((each) => each !== undefined && each !== '')
        if (names.length === 0) record.fail('a file has no name')
        file = record.file({ names: names.filter((each) => each !== undefined) })
      } else if (name === 'line' && file !== null) {
        const line = readCount(attributes['num'], 'line number', record)
        const type = attributes['type']
        if (type === 'cond') readCondition(line, attributes, file)
        const covered =
          type === 'cond' && attributes['count'] === undefined ? wasDecided(attributes) : isCounted(attributes)
        if (type === 'method') {
          file.function(line, attributes['name'] ?? attributes['signature'] ?? '', covered)
          file.call(line, covered)
        } else file.line(line, covered)
      }
    },
    close(name) {
      if (name === 'file') file = null
    },
  })

  type Line = Readonly<Record<string, string | undefined>>

  function readCondition(line: number, attributes: Line, file: FileRecord): void {
    const whenTrue = readCount(attributes['truecount'] ?? '0', 'count of conditions', record)
    const whenFalse = readCount(attributes['falsecount'] ?? '0', 'count of conditions', record)
    if (isIstanbul) {
      for (const [identity, taken] of countedBranches(whenTrue, whenTrue + whenFalse, record))
        file.branch(line, identity, taken)
    } else {
      file.branch(line, 'true', whenTrue > 0)
      file.branch(line, 'false', whenFalse > 0)
    }
  }

  function wasDecided(attributes: Line): boolean {
    return Number(attributes['truecount'] ?? 0) + Number(attributes['falsecount'] ?? 0) > 0
  }

  function isCounted(attributes: Line): boolean {
    return readCount(attributes['count'], 'count', record) > 0
  }
}
