import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReportFormat } from '../engines/reports/detect.ts'
import { ReportError, reportLimits } from '../engines/reports/report.ts'
import { describeFile, findMatches, guessPart, isWildcard, type UploadFile } from './upload-form.ts'

export interface ReportPatterns {
  /** Without them, reports are found by their names and contents. */
  reports: readonly string[] | undefined
  coverage: readonly string[]
}

/** What a command wrote. */
export interface WrittenReports {
  /** The reports that can be read, and the coverage. */
  files: UploadFile[]
  formats: ReadonlySet<ReportFormat>
  tests: number
  failures: number
  /** Why the reports do not contain all results of the command. */
  problems: string[]
  /** Other things that the user should know. */
  notes: string[]
}

/**
 * Remembers the files that exist before a command starts. The returned function finds the reports that were written since.
 * It compares states of files, because the clock of a shared folder can differ from that of this machine.
 */
export async function watchReports(patterns: ReportPatterns, cwd: string): Promise<() => Promise<WrittenReports>> {
  const before = await marksOf(await candidates(patterns, cwd))
  return async () => {
    const found = await candidates(patterns, cwd)
    const after = await marksOf(found)
    const isNew = ({ path }: UploadFile) => after.get(path) !== before.get(path)
    const files = found.files.filter(isNew)
    const reports: Examined[] = []
    for (const file of files) if (file.part === 'reports') reports.push(await examine(file))
    const isNamed = patterns.reports !== undefined
    // Among files that nobody named, many are no reports.
    const relevant = reports.filter((report) => isNamed || !('problem' in report) || report.isReport)
    const readable = relevant.flatMap((report) => ('problem' in report ? [] : [report]))
    return {
      files: [...readable.map(({ file }) => file), ...files.filter(({ part }) => part === 'coverage')],
      formats: new Set(readable.map(({ format }) => format)),
      tests: readable.reduce((sum, { tests }) => sum + tests, 0),
      failures: readable.reduce((sum, { failures }) => sum + failures, 0),
      problems: [
        ...relevant.flatMap((report) => ('problem' in report ? [report.problem] : [])),
        ...(patterns.reports ?? []).flatMap((pattern) => missingReport(pattern, found, isNew)),
        ...(found.isWhole ? [] : ['the folder has too many files to look for reports; name them with --reports']),
      ],
      notes: found.unmatched.flatMap(({ part, pattern }) =>
        part === 'coverage' ? [`No file matches ${pattern} (coverage).`] : [],
      ),
    }
  }
}

interface Candidates {
  files: UploadFile[]
  unmatched: { part: UploadFile['part']; pattern: string }[]
  /** By pattern. */
  named: ReadonlyMap<string, readonly UploadFile[]>
  isWhole: boolean
}

async function candidates({ reports, coverage }: ReportPatterns, cwd: string): Promise<Candidates> {
  const covering = await findMatches({ reports: [], coverage, artifacts: [] }, cwd)
  if (!reports) {
    const { files, isWhole } = await findByName(cwd)
    return { files: [...files, ...covering.files], unmatched: covering.unmatched, named: new Map(), isWhole }
  }
  const named = new Map<string, UploadFile[]>()
  for (const pattern of reports) {
    named.set(pattern, (await findMatches({ reports: [pattern], coverage: [], artifacts: [] }, cwd)).files)
  }
  const files = new Map([...named.values()].flat().map((file) => [file.path, file]))
  return { files: [...files.values(), ...covering.files], unmatched: covering.unmatched, named, isWhole: true }
}

function missingReport(pattern: string, { named }: Candidates, isNew: (file: UploadFile) => boolean): string[] {
  const files = named.get(pattern) ?? []
  if (files.some(isNew)) return []
  if (files.length === 0) return [`no file matches ${pattern}`]
  return [`the command did not write ${isWildcard(pattern) ? `a file that matches ${pattern}` : pattern}`]
}

/** Identifies the content of each file without reading it. */
async function marksOf({ files }: Candidates): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>()
  await eachOf(files, async ({ path }) => {
    const known = await stat(path, { bigint: true }).catch(() => undefined)
    if (known) marks.set(path, [known.ino, known.size, known.mtimeNs, known.ctimeNs].join(' '))
  })
  return marks
}

const ignoredFolders = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', '__pycache__'])
const reportName = /\.(?:xml|trx|json|jsonl|ndjson|tap)(?:\.gz)?$/i
const maxEntries = 300_000

/** Finds files whose names could be those of reports. Does not follow symbolic links. */
async function findByName(cwd: string): Promise<{ files: UploadFile[]; isWhole: boolean }> {
  const files: UploadFile[] = []
  const folders = [cwd]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside = await readdir(folder, { withFileTypes: true }).catch(() => [])
    entries += inside.length
    if (entries > maxEntries) return { files, isWhole: false }
    for (const entry of inside) {
      if (entry.isDirectory() && !ignoredFolders.has(entry.name)) folders.push(join(folder, entry.name))
    }
    const named = inside.filter(
      (entry) => entry.isFile() && reportName.test(entry.name) && guessPart(entry.name) === 'reports',
    )
    await eachOf(named, async ({ name }) => {
      const path = join(folder, name)
      const known = await lstat(path).catch(() => undefined)
      if (known) files.push(describeFile('reports', path, known, cwd))
    })
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), isWhole: true }
}

const atOnce = 64

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) await Promise.all(items.slice(from, from + atOnce).map(work))
}

type Examined =
  | { file: UploadFile; format: ReportFormat; tests: number; failures: number }
  | { problem: string; isReport: boolean }

/** Counts the tests of a report as the server does. */
async function examine(file: UploadFile): Promise<Examined> {
  // Other commands start faster without the readers.
  const { readReport } = await import('../engines/reports/read-report.ts')
  const { openReportFile } = await import('../engines/reports/report-file.ts')
  try {
    await using opened = await openReportFile({
      path: file.path,
      name: file.name,
      maxUnpackedBytes: reportLimits.maxBytes,
    })
    const { format, cases } = await readReport(opened, { roots: [], limits: reportLimits, warn: () => {} })
    let [tests, failures] = [0, 0]
    for await (const batch of cases) {
      tests += batch.length
      failures += batch.filter(({ status }) => status === 'failed').length
    }
    return { file, format, tests, failures }
  } catch (error) {
    if (error instanceof ReportError) {
      return { problem: error.message, isReport: error.code !== 'unknown_format' && error.code !== 'empty' }
    }
    return { problem: `${file.name} cannot be read`, isReport: true }
  }
}
