import { createHash } from 'node:crypto'
import { AppError } from '../base/errors.ts'
import { annotationsPerCall, type CheckRuns, type FoundCheckRun, type HostCheckRun } from '../code-host/hosts/api.ts'
import { type Attempt, change, type Known, PostLater } from './attempt.ts'
import type { Report } from './schema.ts'

/**
 * The check run of a commit and context. GitHub cannot remove annotations, nor show a completed check run as running
 * again. A report that needs one of them gets a new check run, which GitHub shows instead of the former: the next
 * generation.
 */
interface KnownCheck {
  generation: number
  /** Null before it was created. */
  id: string | null
  /** The digest of the annotations that are or will be posted; null without annotations. */
  annotations: string | null
  isCompleted: boolean
}

export interface KnownCheckRun extends Known {
  check: KnownCheck | null
  /** The version for which `check` was chosen. */
  chosenFor: number | null
}

/** Posts a report as a check run. A repeated attempt finds the check run and the annotations of the one before. */
export async function sendCheckRun(attempt: Attempt<KnownCheckRun>, checks: CheckRuns, report: Report): Promise<void> {
  const check = await chooseCheck(attempt, checks, report)
  const { context, annotations } = report
  const run: HostCheckRun = {
    ...report,
    title: report.title || context,
    summary: report.summary || report.title || context,
    externalId: `${report.projectId}/${check.generation}`,
  }
  const remember = (id: string) => attempt.remember({ check: { ...check, id } })
  try {
    let found = await findRun(checks, run, check, annotations.length > 0)
    if (found) await remember(found.id)
    else {
      const created = await change(attempt, () => checks.create(run, annotations.slice(0, annotationsPerCall)))
      await remember(created.id)
      if (annotations.length <= annotationsPerCall) return
      found = created
    }
    const { id } = found
    let posted = Math.min(found.annotations, annotations.length)
    do {
      const batch = annotations.slice(posted, posted + annotationsPerCall)
      await change(attempt, () => checks.update(id, run, batch))
      posted += batch.length
    } while (posted < annotations.length)
  } catch (error) {
    const isGone = attempt.known.check?.id != null && error instanceof AppError && error.code === 'NOT_FOUND'
    if (!isGone) throw error
    await attempt.remember({ check: null, chosenFor: null })
    throw new PostLater(1)
  }
}

/** Chooses the check run that the report belongs to, once for each version. */
async function chooseCheck(
  { known, version, remember }: Attempt<KnownCheckRun>,
  checks: CheckRuns,
  report: Report,
): Promise<KnownCheck> {
  if (known.check !== null && known.chosenFor === version) return known.check
  const before = known.check ?? (await recover(checks, report))
  const annotations = report.annotations.length === 0 ? null : digestOf(report.annotations)
  const isCompleted = report.state !== 'pending'
  const isReplaced =
    (before.isCompleted && !isCompleted) || (before.annotations !== null && before.annotations !== annotations)
  const check = isReplaced
    ? { generation: before.generation + 1, id: null, annotations, isCompleted }
    : { ...before, annotations, isCompleted }
  await remember({ check, chosenFor: version })
  return check
}

/** Finds the latest check run of this project when Assay does not know it any more. */
async function recover(checks: CheckRuns, { commitSha, context, projectId }: Report): Promise<KnownCheck> {
  const runs = (await checks.list(commitSha, context)).flatMap((run) => {
    const generation = generationOf(projectId, run.externalId)
    return generation === undefined ? [] : [{ ...run, generation }]
  })
  const latest = runs.toSorted((a, b) => b.generation - a.generation)[0]
  if (!latest) return { generation: 1, id: null, annotations: null, isCompleted: false }
  const { id, generation, annotations } = latest
  return { generation, id, annotations: annotations === 0 ? null : 'unknown', isCompleted: latest.isCompleted }
}

async function findRun(
  checks: CheckRuns,
  { commitSha, context, externalId }: HostCheckRun,
  { id }: KnownCheck,
  withAnnotations: boolean,
): Promise<FoundCheckRun | undefined> {
  if (id === null) return (await checks.list(commitSha, context)).find((run) => run.externalId === externalId)
  return withAnnotations ? checks.get(id) : { id, externalId, annotations: 0, isCompleted: false }
}

function generationOf(projectId: string, externalId: string): number | undefined {
  const [owner, generation, ...more] = externalId.split('/')
  if (owner !== projectId || more.length > 0 || !/^\d{1,9}$/.test(generation ?? '')) return undefined
  return Number(generation)
}

const digestOf = (annotations: Report['annotations']) =>
  createHash('sha256').update(JSON.stringify(annotations)).digest('base64url')
