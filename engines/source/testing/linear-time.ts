import fc from 'fast-check'
import { expect } from 'vitest'
import { cpuMilliseconds } from './cpu-time.ts'

/** Something that reads texts of strangers, with what their authors might use against it. */
export interface Reader {
  name: string
  /** May reject or throw: a refusal counts as an answer. */
  read: (text: string) => unknown
  /** An ordinary text of about this size, which says how long an honest one takes. */
  benign: (size: number) => string
  /** Parts of the language, which are repeated, nested and broken off. */
  tokens: readonly string[]
  /** What every hostile text begins with, so that it reaches the reader. */
  head?: string
  /** The largest text that is tried in a long run. */
  maxSize?: number
}

/** The time for which each reader is tried. The suite takes little; an hour-long run finds more. */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0.1)
const isLong = seconds > 1
const allowedFactor = 30
/** Less than this is not measured reliably. */
const graceMs = 40
const minPerCharacterMs = 0.000_02

/** A text with a part that is repeated as often as its size allows. */
interface Shape {
  before: string
  repeated: string
  between: string
  closing: string
  /** Whether the closing part is repeated as often as the part itself, as brackets are, or fills the other half. */
  paired: boolean
  after: string
}

function textOf({ before, repeated, between, closing, paired, after }: Shape, size: number): string {
  const counted = (length: number) => Math.max(1, Math.floor(size / length))
  const isHalf = closing !== '' && !paired
  const count = counted(isHalf ? 2 * repeated.length : repeated.length + closing.length)
  const closingCount = isHalf ? counted(2 * closing.length) : count
  return before + repeated.repeat(count) + between + closing.repeat(closingCount) + after
}

/** Tokens of every language: blanks, brackets, and single characters, of which long runs are made. */
const common = [' ', '\n', '\r\n', '\t', 'a', '0', '/', '\\', '"', "'", '`', '(', ')', '[', ']', '{', '}', '<', '>']
const moreCommon = [
  '-',
  '_',
  '.',
  ',',
  ':',
  ';',
  '#',
  '=',
  '|',
  '&',
  '*',
  '?',
  '@',
  '$',
  '%',
  '!',
  '~',
  'é',
  '\u2028',
  '\0',
  'A',
]

function shapes(tokens: readonly string[]): fc.Arbitrary<Shape> {
  const token = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...tokens) },
    { weight: 1, arbitrary: fc.constantFrom(...common, ...moreCommon) },
  )
  const some = (minLength: number, maxLength: number) =>
    fc.array(token, { minLength, maxLength }).map((parts) => parts.join(''))
  return fc.record({
    before: some(0, 4),
    repeated: some(1, 3),
    between: some(0, 2),
    closing: fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 1, arbitrary: some(1, 3) }),
    paired: fc.boolean(),
    after: some(0, 3),
  })
}

/**
 * Tries hostile texts of growing size and expects that none takes much longer than an ordinary text of its size. Counts
 * the time of this thread's processor, so that other load does not matter.
 */
export async function expectLinearReader({
  read,
  benign,
  tokens,
  head = '',
  maxSize = 1_000_000,
}: Reader): Promise<void> {
  const measure = (text: string) => cpuMilliseconds(() => answered(read, text))
  const ordinary = benign(50_000)
  await measure(ordinary)
  const perCharacter = Math.max((await leastOf(3, () => measure(ordinary))) / ordinary.length, minPerCharacterMs)
  const sizes = isLong ? [2_000, 20_000, 200_000, maxSize] : [2_000, 20_000]
  // The first text is tried however late it is: on a busy machine, making it may take all of the time.
  const until = performance.now() + seconds * 1_000
  let tried = 0
  const property = fc.asyncProperty(shapes(tokens), async (shape) => {
    if (tried++ > 0 && performance.now() > until) return
    for (const size of sizes.filter((one) => one <= maxSize)) {
      const text = head + textOf(shape, size)
      const allowed = graceMs + allowedFactor * perCharacter * text.length
      let spent = await measure(text)
      // Garbage collection and compilation count as well, but not each time.
      for (let time = 0; time < 3 && spent > allowed; time++) spent = Math.min(spent, await measure(text))
      if (spent <= allowed) continue
      throw new Error(
        `${JSON.stringify({ head, ...shape })} of ${text.length} characters took ${Math.round(spent)} ms, ` +
          `${Math.round(spent / (perCharacter * text.length))} times as long as an ordinary text.`,
      )
    }
  })
  await fc.assert(property, {
    numRuns: isLong ? 1_000_000 : 40,
    endOnFailure: true,
    // The suite tries the same texts each time; a long run tries others.
    ...(isLong ? { interruptAfterTimeLimit: seconds * 1_000 } : { seed: 16 }),
  })
}

/**
 * Expects that the time grows with the size, and not with its square: eight times the size may take up to 24 times as
 * long as the smallest, where the square takes 64 times as long.
 */
export async function expectLinear(make: (size: number) => string, largest: number, read: (text: string) => unknown) {
  const measure = (size: number, times: number) => {
    const text = make(size)
    return leastOf(times, () => cpuMilliseconds(() => answered(read, text)))
  }
  const smallest = Math.max(await measure(largest / 8, 2), 2)
  for (const factor of [2, 4, 8]) {
    const size = (largest / 8) * factor
    const allowed = 3 * factor * smallest
    let spent = await measure(size, 2)
    // A garbage collection costs more than a small text, but not each time.
    if (spent >= allowed) spent = Math.min(spent, await measure(size, 5))
    expect(spent, `CPU time of ${factor} times the size, where one takes ${smallest.toFixed(1)} ms`).toBeLessThan(
      allowed,
    )
  }
}

async function answered(read: (text: string) => unknown, text: string): Promise<void> {
  try {
    await read(text)
  } catch (error) {
    // Readers refuse texts with errors of their own; these would be defects.
    if (error instanceof TypeError || error instanceof ReferenceError) throw error
  }
}

async function leastOf(times: number, measure: () => Promise<number>): Promise<number> {
  let least = Infinity
  for (let time = 0; time < times; time++) least = Math.min(least, await measure())
  return least
}
