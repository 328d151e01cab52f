import type { ReportSource } from '../reports/report.ts'
import type { FileRecord, ReportRecord } from './record.ts'
import { countedBranches, eachElement, readCount } from './xml.ts'

/**
 * JaCoCo, also of several modules in groups. It knows files by package and name only, so that they are looked for in
 * the repository. Branches are known as so many of a line; functions by class, name and descriptor.
 */
export async function readJacoco(source: ReportSource, record: ReportRecord): Promise<void> {
  const groups: string[] = []
  let packageName = ''
  let file: FileRecord | null = null
  let className = ''
  let method: { identity: string; line: number } | null = null

  const find = (name: string): FileRecord | null =>
    record.file({ names: [packageName === '' ? name : `${packageName}/${name}`], module: groups.at(-1) ?? null })

  await eachElement(source, record, {
    open(name, attributes) {
      if (name === 'group') groups.push(attributes['name'] ?? '')
      else if (name === 'package') packageName = attributes['name'] ?? ''
      else if (name === 'class') {
        className = attributes['name'] ?? ''
        const sourceFile = attributes['sourcefilename']
        file = sourceFile === undefined ? null : find(sourceFile)
      } else if (name === 'method') {
        const identity = `${className}\n${attributes['name'] ?? ''}\n${attributes['desc'] ?? ''}`
        method = { identity, line: readCount(attributes['line'] ?? '0', 'line number', record) }
      } else if (name === 'counter' && method !== null && attributes['type'] === 'METHOD') {
        const isCalled = readCount(attributes['covered'], 'count of covered methods', record) > 0
        file?.function(0, method.identity, isCalled)
        file?.call(method.line, isCalled)
      } else if (name === 'sourcefile') {
        file = find(attributes['name'] ?? record.fail('a source file has no name'))
      } else if (name === 'line' && file !== null) {
        const line = readCount(attributes['nr'], 'line number', record)
        file.line(line, readCount(attributes['ci'], 'count of covered instructions', record) > 0)
        const taken = readCount(attributes['cb'] ?? '0', 'count of covered branches', record)
        const total = taken + readCount(attributes['mb'] ?? '0', 'count of missed branches', record)
        for (const [identity, isTaken] of countedBranches(taken, total, record)) file.branch(line, identity, isTaken)
      }
    },
    close(name) {
      if (name === 'group') groups.pop()
      else if (name === 'method') method = null
      else if (name === 'class' || name === 'sourcefile') file = null
    },
  })
}
