import { timingSafeEqual } from 'node:crypto'
import { dirname, relative } from 'node:path/posix'
import type { Context } from '../base/context.ts'
import { sign } from '../base/crypto.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import type { FileRow } from './entity.ts'
import { encodeName, findFile, getOwnFile } from './get.ts'
import { FileName, type FileRef, type ViewLink } from './schema.ts'

/** Long enough to read a report: browsers fetch its files while the user views them. */
const lifetimeMs = 1_800_000

/** The signed content of a link. An array keeps it short, since it is part of every URL. */
type Grant = [projectId: string, runId: string | null, folder: string, expiresAt: number]

/** Creates a URL with which anyone can view the file and all files in and below its folder. */
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
 * Returns the file that a link points to. It queries the database only if the signature is valid.
 *
 * @param path - relative to the folder that the link is for
 * @throws AppError 404; 429 if a link is used more often than a reader would
 */
export async function getViewedFile(ctx: Context, token: string, path: string): Promise<FileRow> {
  const grant = readGrant(ctx.config.secretKey, token)
  if (!grant || grant[3] <= ctx.now().getTime()) {
    throw notFound(
      'link',
      'Links are valid for half an hour. Create a new one with files.createViewLink.',
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
  // The signature proves that createViewLink wrote it.
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Grant
}
