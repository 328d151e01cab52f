import { mutantsOf } from '../../engines/mutation/mutants-of.ts'
import type { NumberedMutant } from '../../engines/mutation/switched-source.ts'
import { evidenceOf } from '../../engines/strength/evidence.ts'
import type { StrengthEvidence } from '../../engines/strength/schema.ts'
import { Tally } from '../../engines/strength/tally.ts'
import { uncoveredLines } from './coverage.ts'
import { createRandom } from './random.ts'
import type { KnownTest, SourceFile, Sources } from './sources.ts'

/** So few that pages show all survivors. */
const shareOfMutants = 1 / 6

/** Finds small changes of files, and numbers them. */
export async function findMutants(files: readonly SourceFile[]): Promise<NumberedMutant[]> {
  const found = await Promise.all(files.map(({ path, lines }) => mutantsOf(path, lines.join('\n'), everything)))
  return found
    .flat()
    .map((mutant, index) => ({ id: index + 1, mutant }))
    .filter(({ id }) => createRandom(id).next() < shareOfMutants)
}

const everything = [[1, Number.MAX_SAFE_INTEGER]] as const

interface Measuring {
  /** 0 for the newest measurement. Older ones reach and notice less. */
  number: number
  /** Whether the time was over before half of the mutants were tried. */
  isPartial: boolean
}

/** Tells a tally what a driver would: which tests reach the mutants on covered lines, and which mutants they notice. */
export function tallyOf(
  mutants: readonly NumberedMutant[],
  { files, tests }: Sources,
  { number, isPartial }: Measuring,
): Tally {
  const uncovered = new Map(files.map(({ path, code }, index) => [path, uncoveredLines(code, index, number / 20)]))
  const reached = mutants.filter(({ mutant }) => uncovered.get(mutant.path)?.has(mutant.line) === false)
  const tally = new Tally({ probes: new Map(mutants.map(({ id }) => [id, id])) })
  tally.beginPart({ loadsLast: false })
  for (const [{ file, name }, probes] of testsReaching(reached, tests)) {
    tally.take({ kind: 'reach', file, test: name, ms: 2, failed: false, probes })
  }
  tally.take({ kind: 'ready', tests: tests.length, failed: 0, kept: number === 0 ? 0 : 20, isComplete: true })
  for (const { id } of isPartial ? reached.filter((one) => one.id % 2 === 0) : reached) {
    const isNoticed = createRandom(7 * id).next() > 0.1 + number * 0.03
    tally.take({ kind: 'decided', id, outcome: isNoticed ? 'noticed' : 'survived' })
  }
  tally.take({ kind: 'end', isComplete: !isPartial })
  return tally
}

/** Each mutant is reached by some tests that are beside each other. */
function testsReaching(mutants: readonly NumberedMutant[], tests: readonly KnownTest[]): Map<KnownTest, number[]> {
  const reaching = new Map<KnownTest, number[]>()
  for (const { id, mutant } of mutants) {
    const random = createRandom(mutant.line)
    const first = random.between(0, Math.max(0, tests.length - 1))
    for (const test of tests.slice(first, first + random.between(1, 12))) {
      reaching.set(test, [...(reaching.get(test) ?? []), id])
    }
  }
  return reaching
}

/** What the program says of the measurement. */
export const evidenceFor = (
  mutants: readonly NumberedMutant[],
  { files }: Sources,
  tally: Tally,
  durationMs: number,
): StrengthEvidence => {
  const linesOf = new Map(files.map(({ path, lines }) => [path, lines]))
  return evidenceOf({
    mutants,
    tally,
    placeOf: ({ path, line, start }) => {
      const before = linesOf.get(path)?.slice(0, line - 1) ?? []
      const lineStart = before.reduce((sum, { length }) => sum + length + 1, 0)
      return { column: start - lineStart + 1, context: null, symbol: null, case: null }
    },
    pathOf: (file) => file,
    sample: { tried: 12, disagreed: 0 },
    warnings: [],
    isRunning: false,
    limits: { paths: [], since: null },
    isUnchanged: false,
    durationMs,
  })
}
