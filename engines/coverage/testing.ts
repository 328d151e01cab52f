import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCoverage } from './collect.ts'
import type { CoverageCollector, CoverageFormat, CoverageOptions, FileCoverage } from './coverage.ts'
import { formatRanges } from './ranges.ts'

/** A collector that keeps its warnings. */
export function collect(options: Partial<CoverageOptions> = {}): CoverageCollector & { warnings: string[] } {
  const warnings: string[] = []
  const collector = createCoverage({
    roots: [],
    paths: null,
    maxBytes: 50 * 2 ** 20,
    maxFiles: 10_000,
    warn: (message) => warnings.push(message),
    ...options,
  })
  return { ...collector, warnings }
}

export async function addText(
  collector: CoverageCollector,
  text: string,
  name = 'report',
  sizeOfChunk = () => 65_536,
): Promise<CoverageFormat> {
  return collector.add({ name, bytes: chunksOf(Buffer.from(text), sizeOfChunk) })
}

/** Reports that real tools wrote, with the folder they ran in changed to /home/ci/shop. */
export function sample(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'samples', name), 'utf8')
}

/** A file's coverage in one line: covered lines | uncovered lines | branches | functions. */
export function brief({ coveredLines, uncoveredLines, branches, functions }: FileCoverage): string {
  const share = (value: FileCoverage['branches']) => (value === null ? '-' : `${value.covered}/${value.total}`)
  return [formatRanges(coveredLines), formatRanges(uncoveredLines), share(branches), share(functions)].join(' | ')
}

export function briefly(collector: CoverageCollector): Record<string, string> {
  return Object.fromEntries([...collector.files()].map((file) => [file.path, brief(file)]))
}

async function* chunksOf(bytes: Buffer, size: () => number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const end = start + Math.max(1, size())
    yield bytes.subarray(start, end)
    start = end
  }
}
