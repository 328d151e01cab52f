import { z } from 'zod'
import { restHandler } from '../http/handler.ts'
import { pathTestId, queryList, queryNumber, queryPage } from '../http/query-fields.ts'
import { TestPolicy, UpdateTestPolicy } from '../test-policy/schema.ts'
import { getTest } from './get.ts'
import { listTests } from './list.ts'
import { mergeTests } from './merge.ts'
import { previewPolicy } from './preview-policy.ts'
import { Health, ListTests, PolicyPreview, PreviewPolicy, TestDetail, TestRef, TestsPage } from './schema.ts'
import { PlanShards, ShardPlan, TestSpeed } from './speed/schema.ts'
import { planTestShards } from './speed/plan-shards.ts'
import { getTestSpeed } from './speed/get-speed.ts'
import { getTestPolicy, updateTestPolicy } from './update-policy.ts'

const { quarantine, owner, search, sort } = ListTests.shape

const TestsQuery = z.object({
  health: queryList(Health).optional().describe('Only tests with one of these: `flaky,broken`'),
  quarantine: quarantine.describe('`active`: muted or skipped now. `requested`: waits to be granted'),
  owner: owner.describe('An owner as CODEOWNERS names it'),
  search: search.describe('A part of the suite, name or file'),
  sort: sort.describe('`impact`: failures times blocked runs and people'),
  ...queryPage,
})

/** `GET /api/v1/projects/:id/tests` */
export const listProjectTests = restHandler(
  {
    name: 'listTests',
    summary: 'Lists the tests of a project with their health',
    description: 'By default, the tests with the most impact come first.',
    query: TestsQuery,
    answers: { 200: TestsPage },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await listTests(ctx, { ...query, projectId: params['id'] ?? '' }),
  }),
)

const testId = z.guid('must be the id of a test, a UUID')

/** `GET /api/v1/projects/:id/tests/:testId` */
export const showTest = restHandler(
  {
    name: 'getTest',
    summary: 'Returns a test with its health, the evidence and its history',
    query: z.object({ variant: TestRef.shape.variant.describe('Required only if the test has several variants') }),
    answers: { 200: TestDetail },
  },
  async (ctx, { params, query }) => {
    const input = { ...query, projectId: params['id'] ?? '', testId: pathTestId(params) }
    return { status: 200, body: await getTest(ctx, input) }
  },
)

/** `POST /api/v1/projects/:id/tests/:testId/merge` */
export const mergeTest = restHandler(
  {
    name: 'mergeTest',
    summary: 'Adds the history of a test under its earlier name to this test',
    body: z.object({ from: testId.describe('The test under its earlier name') }),
    answers: { 200: TestDetail },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body }) => {
    const input = { ...body, projectId: params['id'] ?? '', into: pathTestId(params) }
    return { status: 200, body: await mergeTests(ctx, input) }
  },
)

/** `GET /api/v1/projects/:id/test-policy` */
export const showTestPolicy = restHandler(
  {
    name: 'getTestPolicy',
    summary:
      'Returns when tests of a project count as flaky or broken, who grants quarantine, and how long results are kept',
    answers: { 200: TestPolicy },
  },
  async (ctx, { params }) => ({ status: 200, body: await getTestPolicy(ctx, { projectId: params['id'] ?? '' }) }),
)

/** `POST /api/v1/projects/:id/test-policy` */
export const changeTestPolicy = restHandler(
  {
    name: 'updateTestPolicy',
    summary: 'Changes the rules for the tests of a project',
    description: 'Only the given fields change. New rules of health apply to all results at once.',
    body: UpdateTestPolicy.omit({ projectId: true, userEmail: true }),
    answers: { 200: TestPolicy },
  },
  async (ctx, { params, body }) => ({
    status: 200,
    body: await updateTestPolicy(ctx, { ...body, projectId: params['id'] ?? '' }),
  }),
)

/** `POST /api/v1/projects/:id/test-policy/preview` */
export const previewTestPolicy = restHandler(
  {
    name: 'previewTestPolicy',
    summary: 'Shows what other rules would have said of the last 30 days',
    description: 'Changes nothing.',
    body: PreviewPolicy.pick({ health: true }),
    answers: { 200: PolicyPreview },
  },
  async (ctx, { params, body }) => ({
    status: 200,
    body: await previewPolicy(ctx, { ...body, projectId: params['id'] ?? '' }),
  }),
)

/** `GET /api/v1/projects/:id/test-speed` */
export const showTestSpeed = restHandler(
  {
    name: 'getTestSpeed',
    summary: 'Returns the slowest tests and files, tests that became slower, and what the time of a run consists of',
    query: z.object({ runId: z.string().optional().describe('The latest run of all tests by default') }),
    answers: { 200: TestSpeed },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await getTestSpeed(ctx, { ...query, projectId: params['id'] ?? '' }),
  }),
)

/** `POST /api/v1/projects/:id/shards` */
export const planShardsOfFiles = restHandler(
  {
    name: 'planShardsOfFiles',
    summary: 'Divides the given test files into shards that take about the same time',
    description: 'Changes nothing. Files that Assay has not seen count with the median time of a test.',
    body: PlanShards.pick({ count: true, files: true }),
    answers: { 200: ShardPlan },
  },
  async (ctx, { params, body }) => ({
    status: 200,
    body: await planTestShards(ctx, { ...body, projectId: params['id'] ?? '' }),
  }),
)

/** `GET /api/v1/projects/:id/shards` */
export const showShards = restHandler(
  {
    name: 'planShards',
    summary: 'Divides the test files of a project into shards that take about the same time',
    description: 'All test files that recent runs contain. Send files to divide with POST.',
    query: z.object({ count: queryNumber(1, 500).describe('The number of shards') }),
    answers: { 200: ShardPlan },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await planTestShards(ctx, { ...query, projectId: params['id'] ?? '' }),
  }),
)
