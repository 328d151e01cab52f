import { IsNull } from 'typeorm'
import type { Context } from '../base/context.ts'
import { notFound, procedureHint } from '../base/errors.ts'
import { findOwnProject, getOwnProject } from '../projects/get.ts'
import { FileEntity, type FileRow } from './entity.ts'
import type { FileRef, ListFiles, StoredFile } from './schema.ts'

export const missingFile = () =>
  notFound('file', 'files.list lists the files of a project.', procedureHint('files.list'))

/**
 * Loads a file of a project that the caller may see.
 *
 * @throws AppError 404, the same whether the file, its run or its project is missing or belongs to another user
 */
export async function getOwnFile(ctx: Context, ref: FileRef): Promise<FileRow> {
  const project = await findOwnProject(ctx, ref.projectId)
  const file = project && (await findFile(ctx, ref))
  if (!file) throw missingFile()
  return file
}

/** Finds a file by name without checking permissions. */
export function findFile(ctx: Pick<Context, 'db'>, { projectId, runId, name }: FileRef): Promise<FileRow | null> {
  return ctx.db.getRepository(FileEntity).findOneBy({ projectId, runId: runId ?? IsNull(), name })
}

/** Lists the files of a project, newest first. */
export async function listFiles(ctx: Context, input: ListFiles): Promise<StoredFile[]> {
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const rows = await ctx.db.getRepository(FileEntity).find({
    where: { projectId, ...(input.runId === undefined ? {} : { runId: input.runId ?? IsNull() }) },
    order: { id: 'DESC' },
    take: input.limit,
    skip: input.offset,
  })
  return rows.map(presentFile)
}

function presentFile({ storageKey: _storageKey, createdAt, ...row }: FileRow): StoredFile {
  const path = `/files/${row.projectId}/${row.runId ?? '-'}/${encodeName(row.name)}`
  return { ...row, createdAt: createdAt.toISOString(), path }
}

/** Encodes a name for a URL path, keeping its slashes. */
export function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
