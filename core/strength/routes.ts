import { z } from 'zod'
import { requireOwnEmail } from '../base/permissions.ts'
import { restHandler } from '../http/handler.ts'
import { getMeasurement } from './get.ts'
import { measureStrength } from './measure.ts'
import { Measurement, MeasureStrength } from './schema.ts'

const { branch, commitSha, snapshotId, paths, since, budgetSeconds, again, userEmail } = MeasureStrength.shape

const MeasureBody = z.object({
  branch: branch.meta({ description: 'Defaults to the branch of the project', examples: ['main'] }),
  commitSha: commitSha.meta({
    description: 'The full commit id',
    examples: ['9fceb02d0ae598e95dc970b74767f19372d61af8'],
  }),
  snapshotId: snapshotId.meta({ description: 'A snapshot, instead of `branch` and `commitSha`' }),
  paths: paths.meta({ description: 'Only these files, folders and globs', examples: [['src/checkout']] }),
  since: since.meta({ description: 'Only files that changed since this branch, tag or commit', examples: ['main'] }),
  budgetSeconds: budgetSeconds.describe('The time for running the tests and trying mutants'),
  again: again.describe('Takes over no results of earlier measurements'),
  userEmail: userEmail.describe('Not required. Rejected if it is not your own address.'),
})

/** `POST /api/v1/projects/:id/strength` */
export const startMeasurement = restHandler(
  {
    name: 'measureStrength',
    summary: 'Measures which small changes of the code the tests notice',
    description: 'Returns immediately. `GET /api/v1/strength/{id}` shows what is known so far, and the result.',
    body: MeasureBody,
    answers: { 202: Measurement },
    errors: ['CONFLICT'],
  },
  async (ctx, { params, body: { userEmail, ...body } }) => {
    requireOwnEmail(ctx, userEmail)
    return { status: 202, body: await measureStrength(ctx, { ...body, projectId: params['id'] ?? '' }) }
  },
)

const MeasurementQuery = z.object({
  waitSeconds: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,3}$/.test(text) ? Number(text) : text),
      z.int('must be a whole number').min(0).max(45),
    )
    .default(0)
    .describe('Waits so long for the end of the measurement'),
  survivorsAfter: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : text),
      z.int('must be a whole number').min(0),
    )
    .optional()
    .describe('Also stops waiting as soon as more survivors than so many are known'),
})

/** `GET /api/v1/strength/:id` */
export const showMeasurement = restHandler(
  {
    name: 'getMeasurement',
    summary: 'Returns a measurement of strength, with what is known so far',
    query: MeasurementQuery,
    answers: { 200: Measurement },
  },
  async (ctx, { params, query }) => ({
    status: 200,
    body: await getMeasurement(ctx, { measurementId: params['id'] ?? '', ...query }),
  }),
)
