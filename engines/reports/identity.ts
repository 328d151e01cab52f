import { hash } from 'node:crypto'
import type { TestCase } from './report.ts'

export interface TestIdentities {
  /** Ask once for each case, in the order of the reports. */
  keyOf: (testCase: Pick<TestCase, 'suite' | 'name' | 'file'>) => string
  /**
   * Keys to replace when all cases were asked for. That a test shares its suite and name with one of another file only
   * shows when the second comes; which file is first may change from run to run, so that neither keeps the plain key.
   */
  corrections: () => Map<string, string>
}

interface SharedName {
  suite: string
  name: string
  /** Of the first test with this name. */
  file: string | null
  /** Tests of each further file, and of the first one. */
  counts: Map<string | null, number>
}

/**
 * Gives the tests of one run keys that stay the same from run to run: made of suite and name alone, so that a report
 * without files and lines knows the test again. Only where a run has several tests of one suite and name, their files
 * tell them apart, and where these are the same or unknown, their order.
 *
 * A test that is in two reports of a run, as when the second is of a rerun, is two cases with two keys: whoever knows
 * that these are tries of one test joins them before. Shards, each with tests of its own, need nothing.
 */
export function testIdentities(): TestIdentities {
  // By 16 bytes of a digest, as a string since that is the smallest: some 80 bytes a test, for the time of one run.
  const firstFiles = new Map<string, string | null>()
  const files = new Map<string | null, string | null>()
  const shared = new Map<string, SharedName>()

  /** Of equal strings the one that is kept already. */
  const keptFile = (file: string | null) => {
    const kept = files.get(file)
    if (kept === undefined) files.set(file, file)
    return kept ?? file
  }

  return {
    keyOf: ({ suite, name, file }) => {
      const digest = digestOf([suite, name])
      const plain = digest.toString('latin1')
      const firstFile = firstFiles.get(plain)
      if (firstFile === undefined) {
        firstFiles.set(plain, keptFile(file))
        return asUuid(digest)
      }
      let others = shared.get(plain)
      if (others === undefined) {
        others = { suite, name, file: firstFile, counts: new Map([[firstFile, 1]]) }
        shared.set(plain, others)
      }
      // An unknown file is not distinguishable from another.
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

/** The first half of a SHA-256. */
const digestOf = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)

function asUuid(digest: Buffer): string {
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
