import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadReach } from '../../core/selection/reach.ts'
import { reachFromBytes } from '../../engines/selection/reach-record.ts'
import { createDataSource } from '../../ormconfig.ts'
import { openScratch } from '../scratch.ts'
import type { Measured } from '../selection/selector.ts'
import { startAssay } from '../verify/start.ts'
import type { Subject } from './make-subject.ts'
import type { ReachRepository } from './repositories.ts'

export interface Wanted {
  repository: ReachRepository
  subject: Subject
  /** The folder of the outcomes. */
  kept: string
}

const budgetSeconds = 120
const timeouts = { statement: 60_000, lock: 60_000, idleInTransaction: 60_000 }
const fileOf = ({ kept, subject }: Wanted) => join(kept, `reach-${subject.measured}.gz`)

/** Returns what an earlier call has measured. */
export function readMeasured(wanted: Wanted): Measured | undefined {
  const seen = existsSync(fileOf(wanted)) ? reachFromBytes(readFileSync(fileOf(wanted))) : undefined
  return seen && { ...seen, commitSha: wanted.subject.measured }
}

/** Measures the strength of the subjects with the product, and keeps what their tests were seen to run. */
export async function measureSubjects(all: readonly Wanted[]): Promise<void> {
  if (all.length === 0) return
  await using cleanUp = new AsyncDisposableStack()
  const scratch = await openScratch(cleanUp)
  const paths = all.map(({ subject }) => subject.checkout.path)
  const { client, projectIds } = await startAssay(cleanUp, scratch, paths)
  const onPoolError = (error: unknown) => console.error(error)
  const dataSource = createDataSource({ url: scratch.postgres.url, poolSize: 1, timeouts, onPoolError })
  await dataSource.initialize()
  cleanUp.defer(() => dataSource.destroy())
  for (const [index, wanted] of all.entries()) {
    const { name, settings } = wanted.repository
    const projectId = projectIds[index] ?? ''
    if (settings) await client.projects.updateProjectSettings.mutate({ projectId, settings })
    const { id: measurementId } = await client.strength.measure.mutate({ projectId, budgetSeconds })
    let found = await client.strength.get.query({ measurementId, waitSeconds: 45 })
    while (found.completedAt === null) found = await client.strength.get.query({ measurementId, waitSeconds: 45 })
    const { status, error, evidence } = found
    const reach = await loadReach({ db: dataSource.manager }, projectId)
    const said = [status, error?.message, evidence?.summary, ...(evidence?.warnings ?? [])].filter(Boolean)
    console.log(`${name}: ${said.join(' ')}`)
    if (reach?.commitSha !== wanted.subject.measured) continue
    mkdirSync(dirname(fileOf(wanted)), { recursive: true })
    writeFileSync(fileOf(wanted), reach.record)
  }
}
