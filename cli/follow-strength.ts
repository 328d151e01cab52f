import { inWordsOf } from '../client/procedure-names.ts'
import { measurementProgress } from '../client/progress.ts'
import { survivorWords } from '../client/strength-words.ts'
import type { Measurement } from '../core/strength/schema.ts'
import type { StrengthEvidence, Survivor } from '../engines/strength/schema.ts'
import type { Context } from './context.ts'
import { askPatiently } from './following.ts'
import { bold, dim, type Output, yellow } from './output.ts'
import { counted } from './words.ts'

/** The server stores what is new every two seconds. A token has 1,000 calls an hour, which other programs share. */
const [fastWaitSeconds, fastForMs, slowWaitSeconds] = [2, 120_000, 10]
/** The interval of progress lines in a CI log. */
const milestoneMs = 10_000

/** Waits for the end of a measurement, and shows each survivor once, as soon as it is known. */
export async function followMeasurement(measurementId: string, context: Context): Promise<Measurement> {
  const { out, onInterrupt } = context
  const client = await context.core()
  const startedAt = Date.now()
  const announce = occasionally(out)
  const shown = eachOnce()
  onInterrupt(
    `The measurement continues on the server. Follow it with \`assay weak show ${measurementId} --follow\`, or cancel it ` +
      `with \`assay weak cancel ${measurementId}\`.`,
  )
  for (;;) {
    const waitSeconds = Date.now() - startedAt < fastForMs ? fastWaitSeconds : slowWaitSeconds
    const measurement = await askPatiently(() => client.strength.get.query({ measurementId, waitSeconds }), context)
    for (const survivor of shown.take(measurement.evidence?.survivors ?? [])) showSurvivor(survivor, out)
    if (measurement.completedAt !== null) {
      onInterrupt(null)
      if (measurement.evidence) showDropped(measurement.evidence, shown, out)
      return measurement
    }
    announce(measurement)
  }
}

export function showSurvivor(survivor: Survivor, out: Output): void {
  const { place, symbol, original, replacement, nearestTest, tests, advice, ...words } = survivorWords(survivor)
  const about = [symbol, words.case && `which ${words.case}`].filter((text) => text !== null).join(', ')
  out.line(yellow('Survived'), '  ', bold(place), `  ${original}  ->  ${replacement}`, dim(about && `  in ${about}`))
  if (nearestTest !== null)
    out.line(
      dim(`    Nearest test: ${nearestTest} (${counted(tests, 'test')} ${tests === 1 ? 'accepts' : 'accept'} it)`),
    )
  out.line(`    ${inWordsOf('commands', advice)}`)
}

/** Shows progress in the line of a terminal at once; elsewhere each phase, and within it now and then. */
function occasionally(out: Output): (measurement: Measurement) => void {
  let shown: { phase: string; at: number } | undefined
  return (measurement) => {
    const phase = measurement.progress?.phase ?? measurement.status
    if (!out.watched && shown?.phase === phase && Date.now() - shown.at < milestoneMs) return
    shown = { phase, at: Date.now() }
    const found = measurement.evidence?.survived ?? 0
    const survivors = found > 0 ? `, ${counted(found, 'survivor')} so far` : ''
    out.milestone(`Measuring: ${measurementProgress(measurement).message}${survivors}`)
  }
}

/** A check in fresh processes can have another result. */
function showDropped({ survivors, survived }: StrengthEvidence, shown: ReturnType<typeof eachOnce>, out: Output): void {
  // Of very many survivors the evidence lists the best ones, so that another one can be missing from it.
  if (survivors.length < survived) return
  for (const survivor of shown.missingIn(survivors)) {
    const { place, original, replacement } = survivorWords(survivor)
    out.line(
      yellow('Not sure'),
      '  ',
      bold(place),
      `  ${original}  ->  ${replacement}`,
      dim('  another result when repeated'),
    )
  }
}

/** Survivors have no id. Equal ones can be two, such as in `a < 1 || b || a < 1`. */
function eachOnce() {
  const seen = new Map<string, Survivor>()
  const keyed = (survivors: readonly Survivor[]) => {
    const counts = new Map<string, number>()
    return survivors.map((survivor) => {
      const { path, line, column, original, replacement } = survivor
      const key = JSON.stringify([path, line, column, original, replacement])
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return [`${key} ${count}`, survivor] as const
    })
  }
  return {
    /** Returns those that were not there before. */
    take: (survivors: readonly Survivor[]): Survivor[] =>
      keyed(survivors).flatMap(([key, survivor]) => {
        if (seen.has(key)) return []
        seen.set(key, survivor)
        return survivor
      }),
    /** Returns those that were there before and are gone. */
    missingIn: (survivors: readonly Survivor[]): Survivor[] => {
      const there = new Map<string, Survivor>(keyed(survivors))
      return [...seen].flatMap(([key, survivor]) => (there.has(key) ? [] : survivor))
    },
  }
}
