import { hash } from 'node:crypto'
import type { TestCase } from './report.ts'

export interface TestIdentities {
  /** Returns the key of a case. Call it once per case, in the order of the reports. */
  keyOf: (testCase: Pick<TestCase, 'suite' | 'name' | 'file'>) => string
  /**
   * Returns the keys to replace after all cases. A shared suite and name shows only when a test of a second file comes;
   * the first file may differ from run to run, so neither keeps the plain key.
   */
  corrections: () => Map<string, string>
}

interface SharedName {
  suite: string
  name: string
  /** The file of the first test with this name. */
  file: string | null
  /** Tests of each further file, and of the first one. */
  counts: Map<string | null, number>
}

/**
 * Gives the tests of one run keys that are stable from run to run. They depend only on suite and name, so that reports
 * without files and lines match. If several tests of a run share suite and name, their files distinguish them, or their
 * order if the files are equal or unknown.
 *
 * A test in two reports of a run, for example of a rerun, is two cases with two keys, so the caller must join attempts
 * before. Shards have different tests and are not affected.
 */
export function testIdentities(): TestIdentities {
  // Keyed by a digest instead of the names, to save memory: about 100 bytes per test.
  const firstFiles = new Map<string, string | null>()
  const files = new Map<string | null, string | null>()
  const shared = new Map<string, SharedName>()

  /** Returns an equal string that is already held, to save memory. */
  const keptFile = (file: string | null) => {
    const kept = files.get(file)
    if (kept === undefined) files.set(file, file)
    return kept ?? file
  }

  return {
    keyOf: ({ suite, name, file }) => {
      const digest = digestOf([suite, name])
      const firstFile = firstFiles.get(digest)
      if (firstFile === undefined) {
        firstFiles.set(digest, keptFile(file))
        return asUuid(digest)
      }
      let others = shared.get(digest)
      if (others === undefined) {
        others = { suite, name, file: firstFile, counts: new Map([[firstFile, 1]]) }
        shared.set(digest, others)
      }
      // An unknown file cannot be distinguished from another one.
      const group = firstFile === null || file === null ? firstFile : file
      const count = (others.counts.get(group) ?? 0) + 1
      others.counts.set(group, count)
      return key(group === firstFile ? numbered([suite, name], count) : numbered([suite, name, `file ${group}`], count))
    },
    corrections: () => {
      const replaced = new Map<string, string>()
      for (const { suite, name, file, counts } of shared.values()) {
        if (counts.size === 1) continue
        for (let count = 1; count <= (counts.get(file) ?? 0); count += 1) {
          const before = key(numbered([suite, name], count))
          replaced.set(before, key(numbered([suite, name, `file ${file}`], count)))
        }
      }
      return replaced
    },
  }
}

function numbered(parts: string[], count: number): string[] {
  return count === 1 ? parts : [...parts, `number ${count}`]
}

const key = (parts: readonly string[]) => asUuid(digestOf(parts))

/** A SHA-256 in hexadecimal. The hash writes it faster than a buffer, whose conversion costs as much as the hash. */
const digestOf = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'hex')

/** The first half of a digest. */
function asUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
