import { z } from 'zod'
import { restHandler } from '../http/handler.ts'
import { queryPage } from '../http/query-fields.ts'
import { grantQuarantine } from './grant.ts'
import { listQuarantines } from './list.ts'
import { releaseQuarantine } from './release.ts'
import { requestQuarantine } from './request.ts'
import {
  GrantQuarantine,
  Quarantine,
  QuarantinesPage,
  QuarantineStatus,
  ReleaseQuarantine,
  RequestQuarantine,
} from './schema.ts'

const { testId } = RequestQuarantine.shape

/** `GET /api/v1/projects/:id/quarantines` */
export const listProjectQuarantines = restHandler(
  {
    name: 'listQuarantines',
    summary: 'Lists the quarantines of a project, newest first',
    query: z.object({
      status: QuarantineStatus.optional().describe('Only those with this status'),
      testId: testId.optional().describe('Only those of this test'),
      ...queryPage,
    }),
    answers: { 200: QuarantinesPage },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await listQuarantines(ctx, { ...query, projectId: params['id'] ?? '' }),
  }),
)

/** `POST /api/v1/projects/:id/quarantines` */
export const askForQuarantine = restHandler(
  {
    name: 'requestQuarantine',
    summary: 'Requests that a test is muted or skipped',
    description:
      'Nothing changes until a user with the role of the policy grants it. A repeated request returns the one that waits.',
    body: RequestQuarantine.omit({ projectId: true, userEmail: true }),
    answers: { 201: Quarantine },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body }) => ({
    status: 201,
    body: await requestQuarantine(ctx, { ...body, projectId: params['id'] ?? '' }),
  }),
)

/** `POST /api/v1/quarantines/:id/grant` */
export const grantOneQuarantine = restHandler(
  {
    name: 'grantQuarantine',
    summary: 'Grants a request for quarantine, or extends a quarantine',
    body: GrantQuarantine.pick({ days: true }),
    answers: { 200: Quarantine },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body }) => ({
    status: 200,
    body: await grantQuarantine(ctx, { ...body, quarantineId: params['id'] ?? '' }),
  }),
)

/** `POST /api/v1/quarantines/:id/release` */
export const releaseOneQuarantine = restHandler(
  {
    name: 'releaseQuarantine',
    summary: 'Ends a quarantine, or rejects its request',
    body: ReleaseQuarantine.pick({ reason: true }),
    answers: { 200: Quarantine },
  },
  async (ctx, { params, body }) => ({
    status: 200,
    body: await releaseQuarantine(ctx, { ...body, quarantineId: params['id'] ?? '' }),
  }),
)
