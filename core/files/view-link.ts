import { timingSafeEqual } from 'node:crypto'
import { dirname, relative } from 'node:path/posix'
import type { Context } from '../base/context.ts'
import { sign } from '../base/crypto.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { FileRow } from './entity.ts'
import { encodeName, findFile, getOwnFile } from './get.ts'
import { FileName, type FileRef, type ViewLink } from './schema.ts'

/** Long enough to read a report, whose parts browsers fetch as they are looked at. */
const lifetimeMs = 1_800_000

/** What a link is signed for: the folder of one run, until then. Short, since it is a part of every address. */
type Grant = [projectId: string, runId: string | null, folder: string, expiresAt: number]

/** An address that shows a file of the caller's, with what lies in and below its folder, to whoever has it. */
export async function createViewLink(ctx: Context, input: FileRef): Promise<ViewLink> {
  const { projectId, runId, name } = await getOwnFile(ctx, input)
  const folder = dirname(name)
  const expiresAt = new Date(ctx.now().getTime() + lifetimeMs)
  const grant: Grant = [projectId, runId, folder, expiresAt.getTime()]
  const text = Buffer.from(JSON.stringify(grant)).toString('base64url')
  const token = `${text}.${sign(ctx.config.secretKey, 'view', text)}`
  return {
    url: `${ctx.config.baseUrl}/view/${token}/${encodeName(relative(folder, name))}`,
    expiresAt: expiresAt.toISOString(),
  }
}

/**
 * The file that a link leads to. Nothing is looked up for one that we have not signed.
 *
 * @param path - relative to the folder that the link is for
 * @throws AppError 404; 429 where a link is used as no reader would
 */
export async function getViewedFile(ctx: Context, token: string, path: string): Promise<FileRow> {
  const grant = readGrant(ctx.config.secretKey, token)
  if (!grant || grant[3] <= ctx.now().getTime()) {
    throw notFound(
      'link',
      'Such links are good for half an hour; make a new one with files.createViewLink.',
      procedureHint('files.createViewLink'),
    )
  }
  await ctx.limits.attempt('viewByLink', token)
  const [projectId, runId, folder] = grant
  const name = FileName.safeParse(folder === '.' ? path : `${folder}/${path}`)
  const file = name.success ? await findFile(ctx, { projectId, runId, name: name.data }) : null
  if (!file) throw notFound('file', 'The report refers to a file that was not stored with it.')
  return file
}

function readGrant(secretKey: string, token: string): Grant | undefined {
  const [text = '', signature = '', ...more] = token.split('.')
  const given = Buffer.from(signature)
  const due = Buffer.from(sign(secretKey, 'view', text))
  if (more.length > 0 || given.length !== due.length || !timingSafeEqual(given, due)) return undefined
  // Ours, as it was written.
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Grant
}
