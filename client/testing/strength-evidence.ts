import type { StrengthEvidence, Survivor } from '../../engines/strength/schema.ts'

type Strength = StrengthEvidence['strength']

const survivor = (index: number): Survivor => ({
  path: `src/${index}.js`,
  line: 1,
  column: 8,
  context: null,
  operator: 'boundary',
  original: 'a < b',
  replacement: 'a <= b',
  symbol: 'isLess',
  case: null,
  nearestTest: { path: 'test/a.test.js', name: 'compares' },
  tests: 2,
  advice: 'Assert what happens where `a` equals `b`.',
})

/** Returns the evidence of a measurement that tried half of all changes. */
export const strengthEvidence = ({
  survivors = 0,
  strength = { percent: 80, interval: [70, 90] },
}: {
  survivors?: number
  strength?: Strength
}): StrengthEvidence => ({
  reason: 'budget_used',
  summary: `Tests notice 10 of ${10 + survivors} small changes of the code that they run.`,
  found: 3 * (10 + survivors),
  reached: 2 * (10 + survivors),
  tried: 10 + survivors,
  noticed: 10,
  timedOut: 0,
  survived: survivors,
  strength,
  kept: 0,
  files: [],
  folders: [],
  survivors: Array.from({ length: survivors }, (_, index) => survivor(index)),
  survivorsLeftOut: 0,
  unreached: { changes: 0, lines: 0, files: [] },
  sample: { tried: 0, disagreed: 0 },
  tests: { run: 3, failing: 0, kept: 0, failingTests: [] },
  warnings: [],
  durationMs: 1_500,
})

/** Returns evidence with as much of everything as a measurement can have, all of it made of one text. */
export function largestStrength(text: string): StrengthEvidence {
  const long = (length: number, what = '') => `${what}${text.repeat(Math.ceil(length / text.length))}`.slice(0, length)
  const counts = { found: 9_000, reached: 8_000, tried: 5_000, noticed: 1_000, timedOut: 500, survived: 4_000 }
  const strength: Strength = { percent: 20, interval: [19.5, 20.5] }
  return {
    ...strengthEvidence({ strength }),
    ...counts,
    summary: long(2_000, 'summary '),
    files: Array.from({ length: 500 }, (_, index) => ({ path: long(1_000, `file ${index} `), ...counts, strength })),
    survivors: Array.from({ length: 200 }, (_, index) => ({
      ...survivor(index),
      path: long(1_000, `path ${index} `),
      original: long(500, `original ${index} `),
      replacement: long(500, `replacement ${index} `),
      context: { original: long(90, `line ${index} `), replacement: long(90, `changed line ${index} `) },
      symbol: long(500, `symbol ${index} `),
      case: { id: `${index}`, condition: long(500, `condition ${index} `), outcome: 'throws' },
      nearestTest: { path: long(1_000, `test ${index} `), name: long(1_000, `name ${index} `) },
      advice: long(1_000, `advice ${index} `),
    })),
    survivorsLeftOut: 3_800,
    unreached: {
      changes: 9_000,
      lines: 8_000,
      files: Array.from({ length: 100 }, (_, index) => ({
        path: long(1_000, `unreached ${index} `),
        changes: 90,
        lines: 80,
        at: Array.from({ length: 20 }, (_, line) => 100_000 + line),
      })),
    },
    tests: {
      run: 900,
      failing: 20,
      kept: 0,
      failingTests: Array.from({ length: 20 }, (_, index) => ({
        path: long(1_000, `failing ${index} `),
        name: long(1_000, `name ${index} `),
      })),
    },
    warnings: Array.from({ length: 30 }, (_, index) => long(2_000, `warning ${index} `)),
  }
}
