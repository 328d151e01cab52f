import { inWordsOf } from '../client/procedure-names.ts'
import { measurementProgress } from '../client/progress.ts'
import { survivorWords } from '../client/strength-words.ts'
import type { Measurement } from '../core/strength/schema.ts'
import type { Survivor } from '../engines/strength/schema.ts'
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
  const isNew = eachOnce()
  onInterrupt(
    `The measurement continues on the server. Follow it with \`assay weak show ${measurementId} --follow\`, or cancel it ` +
      `with \`assay weak cancel ${measurementId}\`.`,
  )
  for (;;) {
    const waitSeconds = Date.now() - startedAt < fastForMs ? fastWaitSeconds : slowWaitSeconds
    const measurement = await askPatiently(() => client.strength.get.query({ measurementId, waitSeconds }), context)
    for (const survivor of isNew(measurement.evidence?.survivors ?? [])) showSurvivor(survivor, out)
    if (measurement.completedAt !== null) {
      onInterrupt(null)
      return measurement
    }
    announce(measurement)
  }
}

export function showSurvivor(survivor: Survivor, out: Output): void {
  const { place, symbol, original, replacement, nearestTest, tests, advice, ...words } = survivorWords(survivor)
  const about = [symbol, words.case].filter((text) => text !== null).join(', ')
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

/** Survivors have no id. Equal ones can be two, such as in \`a < 1 || b || a < 1\`. */
function eachOnce(): (survivors: readonly Survivor[]) => Survivor[] {
  const seen = new Map<string, number>()
  return (survivors) => {
    const counts = new Map<string, number>()
    return survivors.filter(({ path, line, original, replacement }) => {
      const key = JSON.stringify([path, line, original, replacement])
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count <= (seen.get(key) ?? 0)) return false
      seen.set(key, count)
      return true
    })
  }
}
