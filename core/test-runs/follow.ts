import type { Context } from '../base/context.ts'
import type { ServerEvent } from '../http/event-stream.ts'
import { callerOf } from '../http/take-turn.ts'
import { isStillAuthenticated } from '../identity/access/still-authenticated.ts'
import type { WatchedRecords } from '../jobs/changes.ts'
import { findOwnProject, type OwnProject } from '../projects/get.ts'
import { TestRunEntity, type TestRunRow } from './entity.ts'
import { countLines, readLines } from './log/log.ts'
import { hasEnded, presentRun, presentStatus } from './present.ts'
import { placeInQueue } from './queue.ts'
import type { LogLine } from './log/schema.ts'
import type { RunNews, RunStatus } from './schema.ts'

const pageLines = 200
/** The place of a run in the queue depends on other runs. */
const queueMs = 1_000
/** How long a reader at most continues to receive events after losing access. */
const recheckMs = 3_000

/** The worker of a cancelled run stores its last log lines shortly after the end, and of another run before it. */
const settleMs = 1_000

const followedRuns: WatchedRecords = {
  name: 'followed runs',
  states: `SELECT id, xmin::text || ' ' || coalesce(
                    (SELECT first_line + lines FROM test_run_log l WHERE run_id = r.id ORDER BY first_line DESC LIMIT 1), 0)
                    AS state
             FROM test_runs r WHERE id = ANY($1::text[])`,
}

export type RunEvent = ServerEvent &
  (
    | { event: 'status'; data: RunNews }
    | { event: 'log'; id: string; data: LogLine }
    | { event: 'end'; id: string; data: RunStatus }
  )

/** The id of the last event. A reader that has it has received everything. */
export const endId = 'end'

/**
 * Yields the status changes of a run and the lines of its log, a page at a time. Stops with the event `end` once the run
 * has ended and its whole log was sent. Stops without it when the caller loses access or disconnects, or the program
 * stops.
 *
 * @param from - the number of the first line; a negative number counts from the end
 */
export async function* followRun(
  ctx: Context,
  { runId, from }: { runId: string; from: number },
): AsyncGenerator<RunEvent[]> {
  const signal = AbortSignal.any([ctx.signal, ctx.stopping])
  let line = from < 0 ? Math.max(0, (await countLines(ctx.db, runId)) + from) : from
  let known = ''
  let state: string | undefined = 'unknown'
  const findReadableProject = rechecked(ctx)
  let endSeenAt = Infinity
  while (!signal.aborted) {
    const run = await ctx.db.getRepository(TestRunEntity).findOneBy({ id: runId })
    const project = run && (await findReadableProject(run.projectId))
    if (!project) return
    const news = await newsOf(ctx, run, project)
    const lines = await readLines(ctx.db, runId, line, pageLines)
    const first = line
    line += lines.length
    if (hasEnded(run)) endSeenAt = Math.min(endSeenAt, performance.now())
    const isComplete = run.status !== 'CANCELLED' || endedLongAgo(run, ctx.now())
    const settled = isComplete || performance.now() - endSeenAt >= settleMs
    const isLast = hasEnded(run) && settled && lines.length < pageLines
    const before = known
    known = JSON.stringify(news)
    yield [
      ...(known === before ? [] : [{ event: 'status' as const, data: news }]),
      ...lines.map((text, index) => logEvent(first + index, text)),
      ...(isLast ? [{ event: 'end' as const, id: endId, data: presentStatus(ctx, run, null) }] : []),
    ]
    if (isLast) return
    if (lines.length === pageLines) continue
    const milliseconds = hasEnded(run) ? settleMs : run.status === 'PENDING' ? queueMs : recheckMs
    const options = { known: state, milliseconds, signals: [signal], caller: callerOf(ctx) }
    state = await ctx.changes.until(followedRuns, runId, options)
  }
}

/** Returns a function that loads the project if the caller may read it, and checks that again every few seconds. */
function rechecked(ctx: Context): (projectId: string) => Promise<OwnProject | null> {
  let found: OwnProject | null = null
  let foundAt = -Infinity
  return async (projectId) => {
    if (performance.now() - foundAt >= recheckMs) {
      found = (await isStillAuthenticated(ctx)) ? await findOwnProject(ctx, projectId) : null
      foundAt = performance.now()
    }
    return found
  }
}

const endedLongAgo = ({ completedAt }: TestRunRow, now: Date) =>
  completedAt === null || now.getTime() - completedAt.getTime() >= settleMs

async function newsOf(ctx: Context, run: TestRunRow, project: OwnProject): Promise<RunNews> {
  const { queue, progress } = presentRun(ctx, run, await placeInQueue(ctx, run, project))
  return { ...presentStatus(ctx, run, null), queue, progress }
}

const logEvent = (line: number, text: string) => ({ event: 'log' as const, id: `${line}`, data: { line, text } })
