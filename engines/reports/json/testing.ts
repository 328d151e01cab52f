import { readFile } from 'node:fs/promises'
import type { ReadOptions, ReportLimits, ReportReader, TestCase } from '../report.ts'
import { reportLimits } from '../report.ts'

export interface Read {
  cases: TestCase[]
  warnings: string[]
}

interface Given extends Partial<Pick<ReadOptions, 'goModules'>> {
  limits?: Partial<ReportLimits>
  /** The sizes of the pieces in which the bytes arrive, repeated; by default one piece. */
  pieces?: readonly number[]
}

/** Reads with one reader, without detecting the format. */
export async function readWith(reader: ReportReader, content: string | Buffer, given: Given = {}): Promise<Read> {
  const warnings: string[] = []
  const options: ReadOptions = {
    roots: ['/home/dev/shop'],
    limits: { ...reportLimits, ...given.limits },
    warn: (message) => warnings.push(message),
    ...(given.goModules && { goModules: given.goModules }),
  }
  const source = { name: 'report', bytes: inPieces(Buffer.from(content), given.pieces ?? []) }
  const cases = (await all(reader(source, options))).flat()
  return { cases, warnings }
}

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0
  for (let index = 0; start < bytes.length; index += 1) {
    const size = sizes.length === 0 ? bytes.length : (sizes[index % sizes.length] ?? 1)
    yield bytes.subarray(start, start + size)
    start += size
  }
}

export const sample = (name: string) => readFile(new URL(`../samples/${name}`, import.meta.url))

/** Formats a case as one line. */
export const brief = ({ status, suite, name, file, line, attempts }: TestCase) =>
  [status, suite, name, `${file ?? '-'}:${line ?? '-'}`, ...attempts.map((attempt) => attempt.status)].join(' | ')

export const briefly = async (reader: ReportReader, name: string) =>
  (await readWith(reader, await sample(name))).cases.map(brief)

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
