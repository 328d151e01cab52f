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
  reports: files('JUnit XML, TRX, JSON of test runners, `go test -json`, TAP, CTRF; packed with gzip as `.gz`'),
  coverage: files('LCOV, Cobertura, Istanbul JSON, Go cover profiles, JaCoCo, Clover; packed with gzip as `.gz`'),
  artifacts: files('Anything to be kept beside the run'),
})

/** `POST /api/ci/upload/:projectId` */
export const uploadResults = withContract(
  {
    name: 'uploadResults',
    summary: 'Record a run that was made elsewhere',
    description:
      'At least one file in `reports` or `coverage`; 50 MiB in all. Uploads of one commit with the same `shardKey` are ' +
      'parts of one run. The same upload again changes nothing and is answered with 200.',
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
