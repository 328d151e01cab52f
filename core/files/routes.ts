import { basename } from 'node:path/posix'
import { create as contentDisposition } from 'content-disposition'
import { withContract } from '../http/handler.ts'
import type { Route } from '../http/route.ts'
import { downloadType, viewType } from './content-type.ts'
import type { FileRow } from './entity.ts'
import { getOwnFile, missingFile } from './get.ts'
import { FileRef } from './schema.ts'
import { sendFile } from './send.ts'
import { getViewedFile } from './view-link.ts'

/** Replaces bidirectional control characters, with which `gnp.exe` can be displayed as `exe.png`. */
const savedAs = ({ name }: FileRow) => basename(name).replace(/\p{Bidi_Control}/gu, '_')

/** `GET /files/:projectId/:runId/*name` */
export const downloadFile = withContract(
  {
    name: 'downloadFile',
    summary: 'Downloads a stored file',
    description:
      'Always sent as an attachment. `-` means no run. A name may contain slashes, which must not be ' +
      'percent-encoded (as this page does). Supports `Range`, `If-Range` and `If-None-Match`.',
    answers: {
      200: 'The file',
      206: 'The part that `Range` asks for',
      304: 'The file still has the ETag of `If-None-Match`',
    },
    errors: ['RANGE_NOT_SATISFIABLE'],
  },
  async (ctx, koa) => {
    const { projectId, runId, name } = koa.params
    const ref = FileRef.safeParse({ projectId, runId: runId === '-' ? null : runId, name })
    // No file can have such a name.
    if (!ref.success) throw missingFile()
    const file = await getOwnFile(ctx, ref.data)
    return sendFile(ctx, koa, file, {
      'Content-Type': downloadType(file.contentType),
      'Content-Disposition': contentDisposition(savedAs(file)),
      'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    })
  },
)

/**
 * Isolates the scripts of a report: without `allow-same-origin` they have an opaque origin, so that browsers send no
 * cookies of Assay with their requests and let them read only responses that allow every origin.
 */
const reportPolicy = [
  'sandbox allow-scripts',
  "default-src 'self' 'unsafe-inline' data: blob:",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /view/:token/*path` */
export const viewFile: Route = async (ctx, koa) => {
  const file = await getViewedFile(ctx, koa.params['token'] ?? '', koa.params['path'] ?? '')
  return sendFile(ctx, koa, file, {
    'Content-Type': viewType(file.name, file.contentType),
    'Content-Disposition': contentDisposition(savedAs(file), { type: 'inline' }),
    'Content-Security-Policy': reportPolicy,
    // A report has an opaque origin, so that its own files are cross-origin for it. The token in the URL protects them.
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
  })
}
