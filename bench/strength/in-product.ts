import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Measurement } from '../../core/strength/schema.ts'
import type { startAssay } from '../verify/start.ts'
import type { StrengthRepository } from './repositories.ts'
import { commitAll } from './subject.ts'

type AssayClient = Awaited<ReturnType<typeof startAssay>>['client']

const budgetSeconds = 1_800
const fewSurvivors = 10

/** Times in milliseconds. */
export interface ProductTimes {
  /** Until each call shows as many survivors as a reader wants at first; null if there are fewer. */
  tenSurvivors: { first: number | null; second: number | null }
  first: number
  /** After a change of one test file. */
  second: number
  /** The mutants that the second call tried again. */
  tried: string
  /** How long the phases of the second call took, in words. */
  phases: string
}

/** Measures a project by RPC, and again after a change of one of its test files. */
export async function timesInProduct(
  client: AssayClient,
  projectId: string,
  subject: string,
  { mutate, testFile }: StrengthRepository,
): Promise<ProductTimes> {
  const how = { paths: mutate, budgetSeconds }
  const first = await measure(client, projectId, how)
  await appendFile(join(subject, testFile), '\nvoid 0\n')
  await commitAll(subject)
  const second = await measure(client, projectId, how)
  const { tried, kept } = second.measurement.evidence ?? {}
  const phases = [...second.phases].map(([phase, ms]) => `${phase} ${(ms / 1_000).toFixed(1)} s`).join(', ')
  return {
    tenSurvivors: { first: first.tenSurvivors, second: second.tenSurvivors },
    first: first.ms,
    second: second.ms,
    tried: `${kept} of ${tried} kept`,
    phases,
  }
}

/** Times do not contain the installation of dependencies, which is kept only for projects with a lockfile. */
async function measure(
  client: AssayClient,
  projectId: string,
  how: { paths: readonly string[]; budgetSeconds: number },
): Promise<{ measurement: Measurement; ms: number; tenSurvivors: number | null; phases: Map<string, number> }> {
  let from = performance.now()
  const { id: measurementId } = await client.strength.measure.mutate({ projectId, ...how, paths: [...how.paths] })
  let tenSurvivors: number | null = null
  let last = from
  const phases = new Map<string, number>()
  for (;;) {
    const measurement = await client.strength.get.query({ measurementId })
    const now = performance.now()
    const phase = measurement.progress?.phase ?? 'waiting'
    phases.set(phase, (phases.get(phase) ?? 0) + now - last)
    if (phase === 'installing') from += now - last
    last = now
    const ms = now - from
    if ((measurement.evidence?.survivors.length ?? 0) >= fewSurvivors) tenSurvivors ??= ms
    if (measurement.completedAt !== null) {
      if (measurement.status !== 'completed') throw new Error(measurement.error?.message ?? measurement.status)
      return { measurement, ms, tenSurvivors, phases }
    }
    await delay(250)
  }
}
