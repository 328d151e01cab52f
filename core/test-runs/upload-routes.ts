import { z } from 'zod'
import { reportTask } from '../../engines/reports/read-apart.ts'
import { reportFormats } from '../../engines/reports/report.ts'
import { engineRunner } from '../base/engines.ts'
import { invalid } from '../base/errors.ts'
import { withContract } from '../http/handler.ts'
import { ownerOf } from '../projects/owner.ts'
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
  reports: files(`${reportFormats}, or any of these with gzip as \`.gz\``),
  coverage: files(
    'LCOV, Cobertura, Istanbul JSON, Go cover profiles, JaCoCo, Clover, or any of these with gzip as `.gz`',
  ),
  artifacts: files('Any files to store with the run'),
})

/** `POST /api/ci/upload/:projectId` */
export const uploadResults = withContract(
  {
    name: 'uploadResults',
    summary: 'Records a test run that was executed elsewhere',
    description:
      'Requires at least one file in `reports` or `coverage`, and accepts 50 MiB in total. Uploads of one commit with ' +
      'the same `shardKey` become one run. A repeated upload changes nothing and returns 200.',
    form: UploadForm,
    answers: { 200: UploadedRun, 201: UploadedRun },
    errors: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT', 'UNAVAILABLE'],
  },
  async (ctx, koa) => {
    const { projectId = '' } = koa.params
    try {
      // Checked before the body is read.
      const project = await getOwnProject(ctx, projectId, 'member')
      engineRunner(ctx, 'background', ownerOf(project)).warm(reportTask)
      await using received = await receiveUpload(ctx, koa.req)
      const { added, run } = await recordUpload(ctx, projectId, received)
      return { status: added ? 201 : 200, body: UploadedRun.parse(run) }
    } catch (error) {
      throw hasLeft(ctx.signal, error) ? invalid('The upload is incomplete.', { cause: error }) : error
    }
  },
)

/** Whether the caller disconnected, which is not an error of the server. */
function hasLeft({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && (error === reason || (error instanceof Error && error.cause === reason))
}
