import { z } from 'zod'
import { inWordsOf } from '../../client/procedure-names.ts'
import { adviceForStrength, type StrengthDigest, strengthDigest } from '../../client/strength-words.ts'
import { Measurement } from '../../core/strength/schema.ts'
import { StrengthReason, StrengthVerdict } from '../../engines/strength/schema.ts'
import { dataNotice } from './output.ts'
import { maybe, untrusted } from './untrusted.ts'

const Name = untrusted.name(300)
const Line = untrusted.line(800)

/** The parts of a measurement that an agent needs for its next step. */
export const StrengthFacts = z.object({
  verdict: maybe(StrengthVerdict),
  /** More survivors can follow. */
  isProvisional: z.literal(true).optional(),
  reason: maybe(StrengthReason),
  summary: maybe(Line),
  /** Percent of the tried changes that tests notice, and the interval of 95 % for all that tests reach. */
  strength: maybe(z.object({ percent: z.number(), low: z.number(), high: z.number() })),
  /** The last comparable measurement, and how much the percent have changed since: null if the intervals overlap. */
  previous: maybe(
    z.object({
      measurementId: z.string(),
      percent: z.number(),
      low: z.number(),
      high: z.number(),
      change: z.number().nullable(),
    }),
  ),
  /** Numbers of changes: in the code, of code that tests run, tried, known before, noticed, of these by taking too long, accepted. */
  changes: maybe(
    z.object({
      found: z.int(),
      reached: z.int(),
      tried: z.int(),
      kept: z.int(),
      noticed: z.int(),
      timedOut: z.int(),
      survived: z.int(),
    }),
  ),
  status: Measurement.shape.status,
  progress: maybe(Measurement.shape.progress.unwrap()),
  /** The reason why there is no result. */
  error: maybe(untrusted.line(1_600)),
  /** Changes that no test notices, best first. `tests` run the code and accept the change. */
  survivors: maybe(
    z.array(
      z.object({
        place: Name,
        original: Line,
        replacement: Line,
        assert: Line,
        in: Name.nullable(),
        case: Line.nullable(),
        nearestTest: Line.nullable(),
        tests: z.int(),
      }),
    ),
  ),
  leftOut: maybe(z.string()),
  weakestFiles: maybe(z.array(z.object({ path: Name, percent: z.number().nullable(), survived: z.int() }))),
  /** The lines with changes that no passing test runs, and how many. */
  unreached: maybe(Line),
  /** Tests that fail without a change, and so notice no change. */
  failingTests: maybe(z.array(Line)),
  warnings: maybe(z.array(Line)),
  measurementId: z.string(),
  projectId: z.string(),
  /** The page for people. */
  url: z.string(),
  /** Which state of a checkout was sent. */
  state: maybe(untrusted.line(700)),
  commitSha: maybe(z.string()),
  paths: maybe(z.array(Name)),
  since: maybe(untrusted.name(255)),
  note: z.string(),
  next: z.string(),
})
export type StrengthFacts = z.infer<typeof StrengthFacts>

/** Fits into 1,500 tokens together with the other facts. */
const maxBytes = 3_300
const maxShownPaths = 5

/** @param state - which state of a working tree was sent, if this call sent one */
export function strengthFacts(measurement: Measurement, state?: string): z.input<typeof StrengthFacts> {
  const { id: measurementId, projectId, status, verdict, isProvisional, evidence, error, paths } = measurement
  const digest = evidence && strengthDigest(evidence, { maxBytes, audience: 'tools' })
  return {
    verdict,
    ...(isProvisional ? { isProvisional } : {}),
    reason: digest?.reason,
    summary: digest?.summary,
    strength: evidence?.strength && {
      percent: evidence.strength.percent,
      low: evidence.strength.interval[0],
      high: evidence.strength.interval[1],
    },
    previous: measurement.previous && {
      measurementId: measurement.previous.id,
      percent: measurement.previous.percent,
      low: measurement.previous.interval[0],
      high: measurement.previous.interval[1],
      change: measurement.previous.change,
    },
    changes: evidence,
    status,
    progress: measurement.progress,
    error: error && `${error.code}: ${inWordsOf('tools', error.message)}`,
    survivors: digest?.survivors.map(({ symbol, advice, ...survivor }) => ({
      ...survivor,
      in: symbol,
      assert: advice,
    })),
    leftOut: digest && leftOutWords(digest),
    weakestFiles: digest?.weakestFiles,
    unreached: digest?.unreached,
    failingTests: digest?.failingTests,
    warnings: digest?.warnings,
    measurementId,
    projectId,
    url: measurement.url,
    state,
    commitSha: state === undefined ? measurement.commitSha : null,
    paths: paths.slice(0, maxShownPaths),
    since: measurement.since,
    note: dataNotice,
    next: adviceForStrength(measurement, {
      wait: `Call find_weak_tests with measurementId ${measurementId} to wait for more. The work continues meanwhile.`,
      again: 'call find_weak_tests again',
      suggest: 'suggest_tests says which',
      unreached: 'see unreached',
    }),
  }
}

function leftOutWords({ leftOut, moreWeakFiles }: StrengthDigest): string | null {
  const files = moreWeakFiles > 0 ? `${moreWeakFiles} more weak file${moreWeakFiles === 1 ? '' : 's'}` : null
  const all = [leftOut, files].filter((part) => part !== null)
  return all.length === 0 ? null : `${all.join(', ')}. paths limits a measurement to fewer files.`
}
