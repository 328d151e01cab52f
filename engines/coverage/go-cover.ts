import type { ReportSource } from '../reports/report.ts'
import { eachLine } from './byte-lines.ts'
import { maxLine } from './line-marks.ts'
import type { FileRecord, ReportRecord } from './record.ts'

/** Lines of all distinct blocks together. Blocks hardly overlap, so honest profiles have as many lines as their files. */
const maxBlockLines = 30_000_000
const maxBlocks = 2_000_000

const block = /^(.+):(\d{1,10})\.(\d{1,10}),(\d{1,10})\.(\d{1,10}) (\d+) (\d+)$/

/**
 * Profiles of `go test -coverprofile`, also several one behind another. A line is code where a block with statements
 * touches it, and covered where one of these blocks ran. Blocks are no branches: a profile tells of none, nor of
 * functions.
 */
export async function readGoCover(source: ReportSource, record: ReportRecord): Promise<void> {
  // With -coverpkg the tests of each package repeat the blocks of all packages: each block is marked once.
  const seen = new Map<FileRecord, Map<string, boolean>>()
  let blocks = 0
  let blockLines = 0
  let hasMode = false

  await eachLine(source, record, (bytes, start, end) => {
    const text = bytes.toString('utf8', start, end).trim()
    if (text === '') return
    if (/^mode: (?:set|count|atomic)$/.test(text.replace(/^\uFEFF/, ''))) hasMode = true
    else if (!hasMode) record.fail('the profile does not begin with "mode: set", "mode: count" or "mode: atomic"')
    else readBlock(text)
  })

  function readBlock(text: string): void {
    const [, name = '', firstText = '', column = '', lastText = '', lastColumn = '', statements = '', count = ''] =
      block.exec(text) ?? record.fail(`"${text.slice(0, 80)}" is not a block of a Go profile`)
    const first = Number(firstText)
    const last = Number(lastText)
    if (first < 1 || last < first || last > maxLine) record.fail(`lines ${first} to ${last} are not a valid block`)
    const file = record.file({ names: [name], afterModuleName: true })
    if (file === null || Number(statements) === 0) return

    const known = blocksOf(file)
    const key = `${first}.${column},${last}.${lastColumn}`
    const covered = /[1-9]/.test(count)
    const before = known.get(key)
    if (before === true || before === covered) return
    if (before === undefined) {
      blocks++
      blockLines += last - first + 1
      if (blocks > maxBlocks || blockLines > maxBlockLines)
        record.fail(`the profile has more than ${maxBlocks} blocks or ${maxBlockLines} lines`, 'too_large')
    }
    known.set(key, covered)
    for (let line = first; line <= last; line++) file.line(line, covered)
  }

  function blocksOf(file: FileRecord): Map<string, boolean> {
    let blocks = seen.get(file)
    if (blocks === undefined) seen.set(file, (blocks = new Map()))
    return blocks
  }
}
