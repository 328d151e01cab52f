import { setTimeout as pause } from 'node:timers/promises'
import { contextOfSystem } from '../../core/base/context.ts'
import type { QuarantineRow } from '../../core/quarantine/entity.ts'
import { createQuarantineFor } from '../../core/quarantine/testing.ts'
import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { projectsToJudge } from '../../core/test-runs/request-health.ts'
import { rollUpDays } from '../../core/tests/days/roll-up.ts'
import { requestPendingHealth } from '../../core/tests/health/job.ts'
import { type Habit, type Habits, mutedFrom } from './habits.ts'
import { after, before, day, hour, idAt } from './random.ts'
import type { Scene, Target } from './target.ts'

const patienceMs = 120_000
const pauseMs = 100

/** Lets the server judge the results of these runs, as if they had just ended, and computes the counts per day. */
export async function judgeRuns({ dataSource, services }: Target, runIds: readonly string[]): Promise<void> {
  await dataSource.query('UPDATE test_runs SET health_pending = true WHERE id = ANY ($1) AND total_tests > 0', [runIds])
  await requestPendingHealth(services, dataSource)
  const isPending = async () =>
    (
      await dataSource.query<unknown[]>(
        `SELECT FROM (${projectsToJudge}) AS waiting
          WHERE project_id IN (SELECT project_id FROM test_runs WHERE id = ANY ($1)) LIMIT 1`,
        [runIds],
      )
    ).length > 0
  for (const until = performance.now() + patienceMs; await isPending();) {
    if (performance.now() > until) throw new Error('The server does not judge the health of the tests.')
    await pause(pauseMs)
  }
  const signal = AbortSignal.timeout(patienceMs)
  await rollUpDays(contextOfSystem(services, dataSource.manager, { requestId: 'example data', signal }))
}

/** Puts tests in quarantine: requests, active ones, and some that have ended. */
export async function fillQuarantine(scene: Scene, habits: Habits, rows: readonly TestRunRow[]): Promise<void> {
  const { app, project, now, userIds } = scene
  const [requestedBy = null, decidedBy = null] = userIds
  const add = async (habit: Habit, requestedAt: Date, fields: Partial<QuarantineRow>) => {
    const [test] = [...habits].find(([, each]) => each === habit) ?? []
    if (!test) return
    const { id: testId, suite, name, file } = test
    const of = { projectId: project.id, testId, suite, name, file }
    await createQuarantineFor(app, { id: idAt(requestedAt), ...of, requestedBy, requestedAt, ...fields })
  }
  const issueUrl = 'https://github.com/northwind/logs/issues/1412'
  // In force before the first failure that it muted.
  const mutedAt = before(rows[rows.length - mutedFrom(rows.length)]?.createdAt ?? now, hour)
  await add('muted', before(mutedAt, hour), {
    status: 'active',
    reason: 'Depends on the order in which the streams close',
    owner: '@northwind/logs',
    issueUrl,
    decidedBy,
    decidedAt: mutedAt,
    days: 30,
    expiresAt: after(now, 19 * day),
  })
  await add('on_windows', before(now, 12 * day), {
    variant: 'windows',
    mode: 'skipped',
    status: 'active',
    reason: 'The file system of the Windows runner is slow',
    decidedBy,
    decidedAt: before(now, 12 * day),
    expiresAt: after(now, 2 * day),
  })
  await add('flaky', before(now, 5 * hour), {
    reason: 'Blocks two pull requests until the clock is injected',
    issueUrl,
  })
  await add('broken', before(now, 3 * day), {
    status: 'rejected',
    reason: 'Red since the last merge',
    endedBy: decidedBy,
    endedAt: before(now, 2 * day),
    endReason: 'Not flaky: fix the code',
  })
  await add('slower', before(now, 36 * day), {
    status: 'expired',
    reason: 'Times out on small runners',
    decidedBy,
    decidedAt: before(now, 35 * day),
    expiresAt: before(now, 21 * day),
    endedAt: before(now, 21 * day),
  })
}
