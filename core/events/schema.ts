import { z } from 'zod'

const id = z.string()
const time = z.iso.datetime()
const branch = z.string().nullable()
const commitSha = z.string().nullable()

const snapshotId = id.optional().describe('only for a snapshot of a working tree; then `branch` is null')

const url = z.string().describe('the page of the dashboard')

const testRun = { id, projectId: id, url, branch, commitSha, snapshotId, createdAt: time }
const project = {
  id,
  url,
  name: z.string(),
  repository: z.string(),
  branch: z.string(),
  language: z.string().nullable(),
  framework: z.string().nullable(),
  createdAt: time,
}

/** The `data` and description of each event. The reference in `docs/webhooks.md` is generated from it. */
export const eventData = {
  'test_run.started': z
    .object({
      ...testRun,
      status: z.literal('running'),
      type: z.enum(['UNIT', 'INTEGRATION', 'E2E', 'ALL']),
      commitSha: commitSha.describe('null until a run of a branch has fetched its commit'),
    })
    .describe('A worker started the run.'),
  'test_run.completed': z
    .object({
      ...testRun,
      status: z.literal('completed'),
      totalTests: z.int(),
      passedTests: z.int(),
      failedTests: z.int(),
      mutedTests: z.int().describe('failed but muted by quarantine; not among `failedTests`'),
      skippedTests: z.int(),
      duration: z.int().nullable().describe('milliseconds'),
      coverage: z.number().nullable().describe('percent of lines'),
    })
    .describe('The tests ran, whether they passed or failed. An upload in several parts sends it for every part.'),
  'test_run.failed': z
    .object({
      ...testRun,
      status: z.enum(['failed', 'cancelled']),
      error: z.string(),
      log: z.string().describe('the beginning and the end, at most 16 kB'),
    })
    .describe('The run ended without a result, or was cancelled. Deleting a project cancels its runs.'),
  'change.verified': z
    .object({
      id,
      projectId: id,
      url,
      base: z.string().nullable(),
      baseSha: commitSha,
      head: z.string().nullable().describe('a branch or commit; null for a snapshot'),
      headSha: commitSha,
      snapshotId: id.nullable(),
      verdict: z.enum(['proved', 'unproved', 'broken', 'not_built', 'flaky', 'no_code_changed']),
      reason: z.string(),
      summary: z.string(),
      createdAt: time,
      completedAt: time,
    })
    .describe('Assay reached the final verdict on a change. `changes.get` returns its evidence.'),
  'gate.decided': z
    .object({
      id,
      projectId: id,
      url,
      state: z.enum(['pending', 'success', 'failure', 'error', 'neutral']),
      conclusion: z
        .enum(['pending', 'success', 'failure', 'error', 'neutral'])
        .describe('what the code host shows: `neutral` instead of a failure if the gate does not block'),
      headSha: commitSha,
      snapshotId: id.nullable(),
      branch,
      pullRequest: z.int().nullable(),
      base: z.string(),
      baseSha: commitSha,
      reasons: z
        .array(z.object({ rule: z.string(), outcome: z.string(), text: z.string() }))
        .describe('those that fail come first'),
      coverage: z.number().nullable().describe('percent of the changed lines that reports name'),
      createdAt: time,
      decidedAt: time,
    })
    .describe('A gate was decided, or its decision changed.'),
  'strength.measured': z
    .object({
      id,
      projectId: id,
      url,
      branch,
      commitSha,
      snapshotId: id.nullable(),
      paths: z.array(z.string()).describe('what the measurement was limited to; empty for all code'),
      since: z.string().nullable(),
      verdict: z.enum(['measured', 'partial']),
      reason: z.string(),
      summary: z.string(),
      strength: z
        .object({ percent: z.number(), interval: z.tuple([z.number(), z.number()]) })
        .nullable()
        .describe('`percent` of the tried changes that tests notice, and the `interval` of 95 % as `[low, high]`'),
      reached: z.int().describe('small changes of code that tests run'),
      tried: z.int(),
      noticed: z.int(),
      survived: z.int(),
      createdAt: time,
      completedAt: time,
    })
    .describe('A measurement of strength completed. `strength.get` returns its survivors.'),
  'test.generated': z
    .object({
      id,
      projectId: id,
      url,
      filePath: z.string(),
      testType: z.string(),
      framework: z.string().nullable(),
      description: z.string().nullable(),
      verdict: z.string().optional().describe('absent: the test has not run yet'),
      snapshotId: id.optional().describe('only for a snapshot of a working tree'),
      createdAt: time,
    })
    .describe('The AI service wrote a test, and Assay stored it.'),
  'test.verified': z
    .object({
      id,
      projectId: id,
      url,
      filePath: z.string(),
      branch: z.string().nullable(),
      commitSha: z.string().nullable(),
      snapshotId: id.nullable(),
      generatedTestId: id.nullable(),
      suggestionId: id.nullable(),
      verdict: z.enum(['accepted', 'not_built', 'flaky', 'no_gain', 'suspected_bug']),
      reason: z.string(),
      summary: z.string(),
      createdAt: time,
      completedAt: time,
    })
    .describe('Assay reached the final verdict on a test. `tests.getVerification` returns its evidence.'),
  'test.health_changed': z
    .object({
      id,
      projectId: id,
      url,
      testId: id,
      variant: z.string().describe('empty, unless runs tell several variants of the test apart'),
      suite: z.string(),
      name: z.string(),
      file: z.string().nullable(),
      from: z.enum(['new', 'healthy', 'flaky', 'broken', 'stale']),
      to: z.enum(['new', 'healthy', 'flaky', 'broken', 'stale']),
      rule: z.string(),
      reason: z.string(),
      sinceCommit: commitSha.describe('where the new state began, as far as known'),
      runId: id.nullable().describe('the run that made the difference'),
      createdAt: time,
    })
    .describe('A test became flaky or broken, or no longer is. `tests.get` returns the evidence.'),
  'quarantine.expiring': z
    .object({
      id,
      projectId: id,
      url,
      testId: id,
      variant: z.string().nullable().describe('null: all variants of the test'),
      suite: z.string(),
      name: z.string(),
      file: z.string().nullable(),
      status: z.enum(['active', 'expired']),
      mode: z.enum(['muted', 'skipped']),
      owner: z.string().nullable(),
      reason: z.string(),
      issueUrl: z.string().nullable(),
      expiresAt: time,
      createdAt: time,
    })
    .describe('A quarantine ends within three days (`active`), or has ended because its time is up (`expired`).'),
  'analysis.completed': z
    .object({
      id,
      projectId: id,
      url,
      status: z.literal('completed'),
      branch,
      commitSha,
      snapshotId,
      filesAnalyzed: z.int(),
      testCandidates: z.int(),
      languages: z.record(z.string(), z.int()).describe('files by language'),
      frameworks: z.array(z.string()),
      progress: z.null(),
      error: z.null(),
      createdAt: time,
      startedAt: time.nullable(),
      completedAt: time.nullable(),
    })
    .describe('An analysis completed. An analysis that fails sends no event.'),
  'project.created': z.object(project).describe('A project was created.'),
  'project.updated': z
    .object({ ...project, updatedAt: time })
    .describe('A project or its settings changed, or an analysis filled in its language or framework.'),
  'project.deleted': z.object({ id }).describe('A project was deleted, alone or with its organization.'),
  'webhook.test': z.object({ message: z.string() }).describe('A user called `webhooks.test`.'),
}
export type EventData = { [Type in keyof typeof eventData]: z.infer<(typeof eventData)[Type]> }

const eventTypes = Object.keys(eventData) as (keyof typeof eventData)[]

/** Every event that webhooks can subscribe to. */
export const EventType = z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`)
export type EventType = z.infer<typeof EventType>
