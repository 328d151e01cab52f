import type { Context } from '../../base/context.ts'
import { emit } from '../../events/emit.ts'
import type { ProjectRow } from '../../projects/entity.ts'
import { explainHealth } from '../../../engines/health/explain.ts'
import type { HealthNews } from './store.ts'

/** Emits an event for each test that became flaky or broken, or no longer is. */
export async function announceHealth(
  tx: Context,
  project: Omit<ProjectRow, 'settings'>,
  news: readonly HealthNews[],
): Promise<void> {
  for (const { id, test, from, to } of news) {
    if (!isTrouble(from) && !isTrouble(to)) continue
    const { testId, variant, suite, name, file, judged } = test
    await emit(tx, {
      type: 'test.health_changed',
      project,
      data: {
        id,
        projectId: project.id,
        testId,
        variant,
        suite,
        name,
        file,
        from,
        to,
        rule: judged.rule,
        reason: explainHealth(judged),
        sinceCommit: judged.since?.commit ?? null,
        runId: judged.changes.at(-1)?.runId || null,
        createdAt: tx.now().toISOString(),
      },
    })
  }
}

const isTrouble = (health: string) => health === 'flaky' || health === 'broken'
