import { z } from 'zod'
import { invalid } from '../base/errors.ts'
import { withContract } from '../http/handler.ts'
import { getOwnProject } from '../projects/get.ts'
import { recordUpload } from './upload.ts'
import { receiveUpload } from './uploads/receive.ts'
import { UploadedRun, UploadFields } from './uploads/schema.ts'

const files = (description: string) =>
  z
    .array(z.string().meta({ format: 'binary' }))
    .optional()
    .describe(description)

const UploadForm = UploadFields.extend({
  reports: files('JUnit XML, TRX, JSON of test runners, `go test -json`, TAP, CTRF; gzip files end in `.gz`'),
  coverage: files('LCOV, Cobertura, Istanbul JSON, Go cover profiles, JaCoCo, Clover; gzip files end in `.gz`'),
  artifacts: files('Other files to store with the run'),
})

/** `POST /api/ci/upload/:projectId` */
export const uploadResults = withContract(
  {
    name: 'uploadResults',
    summary: 'Records a test run from elsewhere, such as CI, by its reports',
    description:
      'Requires a file in `reports` or `coverage`; at most 50 MiB in total. Uploads of one commit with the same ' +
      '`shardKey` become one run. Repeating an upload changes nothing and returns 200.',
    form: UploadForm,
    answers: { 200: UploadedRun, 201: UploadedRun },
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE'],
  },
  async (ctx, koa) => {
    const { projectId = '' } = koa.params
    try {
      // Before anything is read of whoever may not.
      await getOwnProject(ctx, projectId, 'member')
      await using received = await receiveUpload(ctx, koa.req)
      const { added, run } = await recordUpload(ctx, projectId, received)
      return { status: added ? 201 : 200, body: UploadedRun.parse(run) }
    } catch (error) {
      // What is left of the body is read by nobody.
      if (!koa.req.complete) koa.set('Connection', 'close')
      throw hasLeft(ctx.signal, error) ? invalid('The upload did not arrive whole.', { cause: error }) : error
    }
  },
)

/** Callers leave whenever they like, which is no defect of ours. */
function hasLeft({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && (error === reason || (error instanceof Error && error.cause === reason))
}
