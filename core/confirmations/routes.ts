import { z } from 'zod'
import { restHandler } from '../http/handler.ts'
import { pathTestId, queryNumber } from '../http/query-fields.ts'
import { confirmFix } from './confirm.ts'
import { getConfirmation } from './get.ts'
import { Confirmation, ConfirmFix } from './schema.ts'

/** `POST /api/v1/projects/:id/tests/:testId/confirmations` */
export const startConfirmation = restHandler(
  {
    name: 'confirmFix',
    summary: 'Repeats a test alone and in its suite, to confirm that it is no longer flaky',
    description: 'Returns immediately. `GET /api/v1/confirmations/{id}` returns the result.',
    body: ConfirmFix.omit({ projectId: true, testId: true, userEmail: true }),
    answers: { 202: Confirmation },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body }) => {
    const input = { ...body, projectId: params['id'] ?? '', testId: pathTestId(params) }
    return { status: 202, body: await confirmFix(ctx, input) }
  },
)

/** `GET /api/v1/confirmations/:id` */
export const showConfirmation = restHandler(
  {
    name: 'getConfirmation',
    summary: 'Returns a confirmation, with its verdict if it has ended',
    query: z.object({
      waitSeconds: queryNumber(0, 45).default(0).describe('Waits so long for the end of the confirmation'),
    }),
    answers: { 200: Confirmation },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await getConfirmation(ctx, { confirmationId: params['id'] ?? '', ...query }),
  }),
)
