import { randomUUID } from 'node:crypto'
import {
  createMembershipFor,
  createOrganizationFor,
  createRunFor,
  createSessionFor,
  createTokenFor,
  type createUser,
} from '../../core/testing/factories.ts'
import { createChangeFor } from '../../core/changes/testing.ts'
import { createMeasurementFor } from '../../core/strength/testing.ts'
import type { TestApp } from '../../core/testing/app.ts'
import { createRepository } from '../../client/testing/repository.ts'

/** The id of one object of every kind, all of one owner, by the argument that takes it. */
export type Everything = Readonly<Record<string, string>>

/** Needs a core with an AI service. */
export async function createEverything(
  core: TestApp,
  owner: Awaited<ReturnType<typeof createUser>>,
): Promise<Everything> {
  await using repository = await createRepository({
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'src/price.js': 'export function price(a, b) {\n  if (a > b) return a\n  return b > 3 ? b : a + b\n}\n',
  })
  const client = core.client(await createTokenFor(core, { user: owner }))
  const { id: projectId } = await client.projects.createProject.mutate({ name: 'Shop', repository: repository.path })
  const { id: analysisId } = await client.analysis.startAnalysis.mutate({ projectId })
  await client.analysis.getAnalysis.query({ analysisId, waitSeconds: 45 })
  const { suggestions } = await client.analysis.suggestTests.mutate({ projectId, maxSuggestions: 1 })
  const suggestionId = suggestions[0]?.id ?? ''
  const { tests } = await client.analysis.generateTests.mutate({ projectId, suggestionId })
  const { id: verificationId } = await client.tests.verify.mutate({ projectId, filePath: 'a.test.js', code: '//' })
  await client.tests.cancelVerification.mutate({ verificationId })
  const { id: changeId } = await createChangeFor(core, { projectId, status: 'cancelled', completedAt: new Date() })
  const { id: measurementId } = await createMeasurementFor(core, {
    projectId,
    status: 'cancelled',
    completedAt: new Date(),
  })
  const { webhook } = await client.webhooks.create.mutate({
    projectId,
    url: `${core.url}/nobody`,
    events: ['test_run.completed'],
  })
  const { delivery } = await client.webhooks.test.mutate({ webhookId: webhook.id, waitSeconds: 0 })
  const { id: organizationId, slug } = await createOrganizationFor(core, { user: owner })
  const run = await createRunFor(core, { projectId, userId: owner.id, status: 'COMPLETED', completedAt: new Date() })
  return {
    projectId,
    analysisId,
    suggestionId,
    generatedTestId: tests[0]?.id ?? '',
    verificationId,
    changeId,
    measurementId,
    webhookId: webhook.id,
    deliveryId: delivery.id,
    organizationId,
    slug,
    membershipId: (await createMembershipFor(core, { organizationId })).id,
    runId: run.id,
    testId: await createTestIn(core, projectId, run.id),
    rerunFailedOf: run.id,
    sessionId: (await createSessionFor(core, owner)).sessionId,
  }
}

/** Inserts a flaky test that passed in a run, and returns its id. */
async function createTestIn({ dataSource }: TestApp, projectId: string, runId: string): Promise<string> {
  const testId = randomUUID()
  await dataSource.query(
    `INSERT INTO test_results (run_id, position, test_id, suite, name, file, status, message, stack, flaky, error_id)
     VALUES ($1, 0, $2, 'cart', 'flickers', 'cart.test.js', 'passed', NULL, NULL, false, NULL)`,
    [runId, testId],
  )
  const failure = {
    runId,
    at: new Date().toISOString(),
    branch: 'main',
    commit: null,
    fingerprint: testId,
    message: 'message',
  }
  await dataSource.query(
    `INSERT INTO tests (project_id, test_id, variant, suite, name, file, health, rule, counts, failures, first_seen_at, last_seen_at, last_failure, changed_at)
     VALUES ($1, $2, '', 'cart', 'flickers', 'cart.test.js', 'flaky', 'same_commit', '{}', 1, now(), now(), $3, now())`,
    [projectId, testId, JSON.stringify(failure)],
  )
  return testId
}
