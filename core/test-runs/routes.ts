import { getProject } from './get-project.ts'
import { ProjectEnvelope } from './schema.ts'
import { z } from 'zod'
import { requireUser } from '../base/context.ts'
import { withContract, restHandler } from '../http/handler.ts'
import { sendEvents } from '../http/event-stream.ts'
import { createOpenStreams } from '../http/open-streams.ts'
import { parseInput } from '../base/input.ts'
import { requireOwnEmail } from '../base/permissions.ts'
import { endId, followRun } from './follow.ts'
import { getOwnRun, getRunStatus } from './get.ts'
import { hasEnded } from './present.ts'
import { ReportedStatus, RunStatus, TriggerRun } from './schema.ts'
import { readIdempotencyKey, triggerRun } from './trigger.ts'

const { branch, commitSha, snapshotId, type, paths, userEmail } = TriggerRun.shape

const TriggerBody = z.object({
  branch: branch.meta({ description: 'Defaults to the branch of the project', examples: ['main'] }),
  commitSha: commitSha.meta({
    description: 'The full commit id',
    examples: ['9fceb02d0ae598e95dc970b74767f19372d61af8'],
  }),
  snapshotId: snapshotId.meta({ description: 'A snapshot, instead of `branch` and `commitSha`' }),
  type,
  paths: paths.meta({ description: 'Runs only the tests in these files or folders', examples: [['src/checkout']] }),
  userEmail: userEmail.describe('Not required. Rejected if it is not your own address.'),
})

export const RunAccepted = z.object({
  runId: z.string(),
  status: ReportedStatus.describe('PENDING, or for a repeated call the current status of the run'),
  statusUrl: z.url(),
  url: z.string().describe('The page of the dashboard that shows the run'),
})

/** `POST /api/ci/trigger/:projectId` */
export const triggerFromCi = restHandler(
  {
    name: 'triggerRun',
    summary: 'Triggers a test run for a commit',
    description:
      'Returns immediately. A repeated call with the same `Idempotency-Key` returns the run of the first call.',
    headers: z.object({
      'Idempotency-Key': z.string().optional().describe('1 to 255 printable characters without spaces'),
    }),
    body: TriggerBody,
    answers: { 202: RunAccepted },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body: { userEmail, ...body } }, koa) => {
    requireOwnEmail(ctx, userEmail)
    const idempotencyKey = readIdempotencyKey(koa.get('Idempotency-Key') || undefined)
    const request = { ...body, projectId: params['projectId'] ?? '', idempotencyKey }
    const { id: runId, reportedStatus, url } = await triggerRun(ctx, request, 'ci')
    const statusUrl = `${ctx.config.baseUrl}/api/test-runs/${runId}/status`
    return { status: 202, body: { runId, status: reportedStatus, statusUrl, url } }
  },
)

/** `GET /api/test-runs/:runId/status` */
export const showRunStatus = restHandler(
  {
    name: 'getRunStatus',
    summary: 'Returns the status of a test run',
    description: '`duration` is in milliseconds, `coverage` in percent of lines.',
    answers: { 200: RunStatus },
  },
  async (ctx, { params }) => ({ status: 200, body: await getRunStatus(ctx, params['runId'] ?? '') }),
)

const streams = createOpenStreams({ maxPerUser: 20, max: 200 })

const RunEventsQuery = z.object({
  from: z
    .preprocess(
      (text) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text),
      z.int('must be a whole number'),
    )
    .default(0)
    .describe('The number of the first line of the log, from 0. -100 starts 100 lines before the end.'),
})

/** `GET /api/test-runs/:runId/events` */
export const streamRun = withContract(
  {
    name: 'streamRun',
    summary: 'Streams a test run as server-sent events',
    description:
      'The event `status` comes first and after every change, with the data of `/status` and `queue` and `progress`. ' +
      'The event `log` comes for each line of the log, with `{ line, text }` and the number of the line as its id. The ' +
      'event `end` comes when the run has ended and its whole log was sent; then close the stream. A client that ' +
      'reconnects with `Last-Event-ID`, as browsers do, continues with the next line, and gets 204 after `end`. A ' +
      'comment every 15 s keeps the connection alive.',
    query: RunEventsQuery,
    headers: z.object({ 'Last-Event-ID': z.string().optional().describe('The id of the last received event') }),
    answers: { 200: 'The events', 204: 'The client has received all events' },
    contentType: 'text/event-stream',
    errors: ['UNAVAILABLE'],
  },
  async (ctx, koa) => {
    const { from } = parseInput(RunEventsQuery, koa.query)
    const { run } = await getOwnRun(ctx, koa.params['runId'] ?? '', 'viewer')
    const lastId = koa.get('Last-Event-ID')
    if (lastId === endId && hasEnded(run)) return { status: 204 }
    using _place = streams.take(requireUser(ctx).userId)
    const next = /^\d{1,15}$/.test(lastId) ? Number(lastId) + 1 : from
    return await sendEvents(ctx, koa, followRun(ctx, { runId: run.id, from: next }))
  },
)

/** `GET /api/v1/projects/:id` */
export const showProject = restHandler(
  { name: 'getProject', summary: 'Returns a project with its latest test runs', answers: { 200: ProjectEnvelope } },
  async (ctx, { params }) => ({
    status: 200,
    body: { project: await getProject(ctx, { projectId: params['id'] ?? '' }) },
  }),
)
