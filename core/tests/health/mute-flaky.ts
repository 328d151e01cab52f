import { IsNull } from 'typeorm'
import { explainHealth } from '../../../engines/health/explain.ts'
import { cutText } from '../../../engines/reports/text.ts'
import type { Context } from '../../base/context.ts'
import { endExpired } from '../../quarantine/expire.ts'
import { QuarantineEntity } from '../../quarantine/entity.ts'
import { newQuarantine, openQuarantines } from '../../quarantine/request.ts'
import type { QuarantineRules } from '../../test-policy/schema.ts'
import type { HealthNews } from './store.ts'

const dayMs = 86_400_000
const maxReason = 500

/**
 * Mutes tests that became flaky, if the project wants it, and ends what Assay muted as soon as the test is not flaky: a
 * broken test must decide, since its failure is no accident. What a person extended is theirs to end.
 */
export async function muteFlaky(
  tx: Context,
  projectId: string,
  rules: QuarantineRules,
  news: readonly HealthNews[],
): Promise<void> {
  await endExpired(
    tx,
    projectId,
    news.map(({ test }) => test.testId),
  )
  for (const { test, to } of news) {
    if (to === 'flaky' && rules.muteFlaky) await mute(tx, projectId, rules, test)
    if (to !== 'flaky') await unmute(tx, projectId, test, `The test is ${to}.`)
  }
}

type Test = HealthNews['test']

async function mute(tx: Context, projectId: string, { days }: QuarantineRules, test: Test): Promise<void> {
  const { testId, variant, suite, name, file, judged } = test
  const open = await openQuarantines(tx, projectId, testId)
  if (open.some((each) => each.status === 'active' && (each.variant === null || each.variant === variant))) return
  const at = tx.now()
  // A request of a person goes on waiting: nobody has granted what it asks for.
  await tx.db.getRepository(QuarantineEntity).insert({
    ...newQuarantine(tx, projectId, { testId, suite, name, file }),
    variant,
    mode: 'muted',
    reason: cutText(explainHealth(judged), maxReason),
    days,
    automatic: true,
    status: 'active',
    decidedAt: at,
    expiresAt: new Date(at.getTime() + days * dayMs),
  })
}

async function unmute(tx: Context, projectId: string, { testId, variant }: Test, reason: string): Promise<void> {
  await tx.db
    .getRepository(QuarantineEntity)
    .update(
      { projectId, testId, variant, status: 'active', automatic: true, decidedBy: IsNull() },
      { status: 'released', endedAt: tx.now(), endReason: reason },
    )
}
