import { digestOf } from './code-parts.ts'
import type { NumberedMutant } from '../mutation/switched-source.ts'

/** A test that ran in a part of the plan, or the loading of its file, which has no name. */
export interface SeenTest {
  /** The position of the part. */
  part: number
  test: string | null
  ms: number
  /** The probes that it reached. */
  probes: readonly number[]
}

/** What the tests of a file were seen to run. */
export interface Reach {
  path: string
  /** Whether the running program reported a probe or marker. */
  hasReported: (number: number) => boolean
  /** Whether one of them fails without a mutant. It said nothing of mutants. */
  hasFailed: boolean
  /** Null if this is not certain to be all. */
  tests: readonly SeenTest[] | null
}

/** What the tests of a file reached. While the tests would do the same, they need not run to see it. */
export interface KeptReach {
  /** The key of the test record. */
  key: string
  /** The key of the `OtherFiles`: nobody could see whether tests reach these. */
  others: string
  /** The names of probes. */
  probes: readonly string[]
  /** The probes are positions in `probes`. */
  tests: readonly (readonly [part: number, test: string | null, ms: number, probes: readonly number[]])[]
}

/** A test file that need not run to see what it reaches. */
export interface KnownReach {
  path: string
  tests: readonly SeenTest[]
}

/** Names each probe by the mutants that share it, so that the name stays while other code is edited. */
export function probeNames(
  mutants: readonly NumberedMutant[],
  probes: ReadonlyMap<number, number>,
  keys: ReadonlyMap<number, string>,
): Map<number, string> {
  const sharing = new Map<number, string[]>()
  for (const { id, mutant } of mutants) {
    const key = keys.get(id)
    const probe = probes.get(id)
    if (key === undefined || probe === undefined) continue
    const names = sharing.get(probe)
    if (names) names.push(key)
    else sharing.set(probe, [mutant.path, key])
  }
  return new Map([...sharing].map(([probe, names]) => [probe, digestOf(JSON.stringify(names.toSorted()))]))
}

/** Returns what to keep of the tests of a file. */
export function keptReach(
  { key, others }: Pick<KeptReach, 'key' | 'others'>,
  seen: readonly SeenTest[],
  names: ReadonlyMap<number, string>,
): KeptReach {
  const positions = new Map<string, number>()
  const positionOf = (probe: number) => {
    const name = names.get(probe)
    if (name === undefined) return []
    const at = positions.get(name) ?? positions.size
    positions.set(name, at)
    return at
  }
  const tests = seen.map(({ part, test, ms, probes }) => [part, test, ms, probes.flatMap(positionOf)] as const)
  return { key, others, probes: [...positions.keys()], tests }
}

/** Returns the tests of a file with the probes of the present program. */
export function knownTests({ probes, tests }: KeptReach, names: ReadonlyMap<number, string>): SeenTest[] {
  const byName = new Map([...names].map(([probe, name]) => [name, probe]))
  return tests.map(([part, test, ms, positions]) => {
    return { part, test, ms, probes: positions.flatMap((position) => byName.get(probes[position] ?? '') ?? []) }
  })
}
