import { ReportError, type ReportSource } from '../reports/report.ts'
import { readClover } from './clover.ts'
import { readCobertura } from './cobertura.ts'
import type { CoverageCollector, CoverageFormat, CoverageOptions, FileCoverage } from './coverage.ts'
import { detectFormat } from './detect.ts'
import { countIdentities, type FileMarks, mergeFileMarks, reachedBranches, toFileCoverage } from './file-marks.ts'
import { readGoCover } from './go-cover.ts'
import { createIdentities, maxIdentities } from './identities.ts'
import { readIstanbul } from './istanbul.ts'
import { readJacoco } from './jacoco.ts'
import { readLcov } from './lcov.ts'
import { countLines, sizeOfLineMarks } from './line-marks.ts'
import { createPathFinder } from './paths.ts'
import { type CoverageReader, createRecord } from './record.ts'

/** For all reports of one collector together. */
const maxLineBytes = 128 * 2 ** 20

const readers: Record<CoverageFormat, CoverageReader> = {
  lcov: readLcov,
  cobertura: readCobertura,
  istanbul: readIstanbul,
  'go-cover': readGoCover,
  jacoco: readJacoco,
  clover: readClover,
}

/**
 * Merges lines: a line is covered if any report covers it. Merges branches and functions by the identities of their
 * format; if reports of several formats cover one file, the format with most of them counts.
 */
export function createCoverage(options: CoverageOptions): CoverageCollector {
  const files = new Map<string, FileMarks>()
  const identities = { branches: createIdentities(), functions: createIdentities() }
  const findPath = createPathFinder(options)
  const unmatched: string[] = []

  return {
    async add(given) {
      const { format, source } = await detectFormat(limited(given, options.maxBytes))
      const { record, finish } = createRecord({ ...options, name: source.name, format, identities, findPath })
      await readers[format](source, record)
      const { files: found, unmatched: names } = finish()
      unmatched.push(...names)
      checkSum(source.name, found)
      for (const [path, marks] of found) {
        const known = files.get(path)
        if (known === undefined) files.set(path, marks)
        else mergeFileMarks(known, marks)
      }
      return format
    },

    *files(): Generator<FileCoverage> {
      for (const path of [...files.keys()].toSorted()) {
        const marks = files.get(path)
        if (marks !== undefined) yield toFileCoverage(path, marks)
      }
    },

    reachedBranches(path) {
      const marks = files.get(path)
      return marks === undefined ? [] : reachedBranches(marks)
    },

    unmatched: () => unmatched,

    percent() {
      let covered = 0
      let total = 0
      for (const { lines } of files.values()) {
        const share = countLines(lines)
        covered += share.covered
        total += share.total
      }
      return total === 0 ? null : Math.round((covered / total) * 10_000) / 100
    },
  }

  /** Checks before anything is added, so that a report counts as a whole or not at all. */
  function checkSum(name: string, found: Map<string, FileMarks>): void {
    let bytes = 0
    let identities = 0
    for (const marks of [...files.values(), ...found.values()]) {
      bytes += sizeOfLineMarks(marks.lines) + sizeOfLineMarks(marks.calls)
      identities += countIdentities(marks)
    }
    if (new Set([...files.keys(), ...found.keys()]).size > options.maxFiles) {
      throw new ReportError('too_large', name, `with this report, coverage has more than ${options.maxFiles} files`)
    }
    if (bytes > maxLineBytes || identities > 2 * maxIdentities) {
      throw new ReportError('too_large', name, 'with this report, coverage has too many lines, branches or functions')
    }
  }
}

function limited({ name, bytes }: ReportSource, maxBytes: number): ReportSource {
  return { name, bytes: counted() }

  async function* counted(): AsyncGenerator<Buffer> {
    let size = 0
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > maxBytes) throw new ReportError('too_large', name, `the file has more than ${maxBytes} bytes`)
      yield chunk
    }
  }
}
