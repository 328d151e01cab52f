import { readFile } from 'node:fs/promises'
import { readReport } from './read-report.ts'
import { reportLimits } from './report.ts'
import type { ReportLimits, TestCase } from './report.ts'

export interface Told {
  format: string
  cases: TestCase[]
  warnings: string[]
}

interface Given {
  name?: string
  roots?: readonly string[]
  limits?: Partial<ReportLimits>
  /** The sizes of the pieces in which the bytes arrive; by default one piece. */
  pieces?: (bytes: Buffer) => Iterable<Buffer>
}

/** Reads a whole report from memory. */
export async function readAll(content: string | Buffer, given: Given = {}): Promise<Told> {
  const bytes = Buffer.from(content)
  async function* source() {
    yield* given.pieces?.(bytes) ?? [bytes]
  }
  const warnings: string[] = []
  const { format, cases } = await readReport(
    { name: given.name ?? 'report', bytes: source() },
    {
      roots: given.roots ?? ['/app'],
      limits: { ...reportLimits, ...given.limits },
      warn: (text) => warnings.push(text),
    },
  )
  const all: TestCase[] = []
  for await (const batch of cases) all.push(...batch)
  return { format, cases: all, warnings }
}

export async function read(content: string | Buffer): Promise<TestCase[]> {
  return (await readAll(content)).cases
}

export async function readSample(name: string): Promise<Told> {
  return readAll(await readFile(new URL(`samples/${name}`, import.meta.url)), { name })
}
