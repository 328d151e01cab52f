import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context } from '../../base/context.ts'
import { AppError } from '../../base/errors.ts'
import { FileEntity } from '../../files/entity.ts'
import { FileName } from '../../files/schema.ts'
import { storeFile } from '../../files/store.ts'
import { byteMaskOf, maskOf } from '../../workspaces/mask.ts'
import { findFiles, type LeftFile, matchesAny } from '../../workspaces/left-files.ts'
import { openRegularFile } from '../../../engines/source/regular-file.ts'

const maxFiles = 200
const maxFileBytes = 50 * 2 ** 20
const maxTotalBytes = 200 * 2 ** 20

/** Folders at any depth where test runners leave screenshots, videos and reports. */
const artifactGlobs = [
  'test-results',
  'playwright-report',
  'cypress/screenshots',
  'cypress/videos',
  'screenshots',
  '__diff_output__',
].flatMap((folder) => [`${folder}/**`, `**/${folder}/**`])

const types: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webm: 'video/webm',
  html: 'text/html',
  xml: 'application/xml',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  zip: 'application/zip',
}

/** Finds the files of a run to keep: all files below the folder `output`, and files that match the artifact globs. */
export async function findArtifacts(root: string, output: string, since: number | undefined): Promise<LeftFile[]> {
  const left = await findFiles(root, matchesAny(artifactGlobs), since)
  return [...(await findFiles(output, () => true)), ...left]
}

/**
 * Stores files of a run, as far as they fit, and returns warnings about the others. A full disk is only a warning, so
 * that the run keeps its results. Values of the project's environment are masked in reports and coverage.
 */
export async function storeArtifacts(
  ctx: Context,
  run: { id: string; projectId: string },
  artifacts: readonly (LeftFile & { folder: 'reports' | 'coverage' | 'artifacts' })[],
  environment: Readonly<Record<string, string>>,
): Promise<string[]> {
  const warnings: string[] = []
  const mask = maskOf(environment)
  const maskBytes = byteMaskOf(environment)
  let leftOut = 0
  let total = 0
  const names = new Set<string>()
  for (const { folder, name, path } of artifacts) {
    const plain = name.startsWith(`${folder}/`) ? name : join(folder, name)
    const stored = freeName(FileName.safeParse(mask(plain)).data, names)
    const file = stored === undefined || names.size >= maxFiles ? undefined : await openRegularFile(path)
    if (!file || stored === undefined) {
      leftOut++
      continue
    }
    try {
      const { size } = await file.stat()
      if (size > maxFileBytes || total + size > maxTotalBytes) {
        leftOut++
        continue
      }
      names.add(stored)
      total += size
      const bytes = file.createReadStream({ autoClose: false })
      await storeFile(ctx, {
        projectId: run.projectId,
        runId: run.id,
        name: stored,
        contentType: types[stored.slice(stored.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
        stream: folder === 'artifacts' ? bytes : Readable.from(maskBytes(bytes), { objectMode: false }),
        maxBytes: maxFileBytes,
      })
    } catch (error) {
      if (ctx.signal.aborted || (error instanceof AppError && error.code === 'NOT_FOUND')) throw error
      ctx.log.warn({ err: error, runId: run.id }, 'an artifact could not be stored')
      const full = /ENOSPC|no space left/i.test(String(error))
      warnings.push(
        full
          ? 'Assay could not store all files, because the disk of the server is full.'
          : `Assay could not store the file ${stored}.`,
      )
      if (full) break
    } finally {
      await file.close()
    }
  }
  if (leftOut > 0) {
    const limits = `${maxFiles} files, ${maxFileBytes / 2 ** 20} MiB per file and ${maxTotalBytes / 2 ** 20} MiB in total`
    warnings.push(
      `Assay did not store ${leftOut} files. A run stores up to ${limits}, with names without special characters.`,
    )
  }
  return [...new Set(warnings)]
}

/** Deletes the files that an interrupted attempt stored. */
export async function forgetArtifacts(ctx: Pick<Context, 'db'>, runId: string): Promise<void> {
  await ctx.db.getRepository(FileEntity).delete({ runId })
}

function freeName(name: string | undefined, taken: ReadonlySet<string>): string | undefined {
  if (name === undefined || !taken.has(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 2; ; number++) {
    const other = `${stem}-${number}${ending}`
    if (!taken.has(other)) return other
  }
}
