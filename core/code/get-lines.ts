import { linesPerPage, type Token } from '../../engines/highlighting/lines.ts'
import type { TextLines } from '../../engines/highlighting/highlight.ts'
import type { Context } from '../base/context.ts'
import { invalidField } from '../base/errors.ts'
import { getOwnProject } from '../projects/get.ts'
import { findState } from './find-state.ts'
import { maxFileBytes, readFile } from './read-file.ts'
import type { CodeLines, GetLines } from './schema.ts'

/** Returns lines of a file as tokens. A file that is slow to read as code is returned as plain text. */
export async function getLines(ctx: Context, input: GetLines): Promise<CodeLines> {
  const { path, from, limit } = input
  const project = await getOwnProject(ctx, input.projectId, 'viewer')
  const state = await findState(ctx, project, input)
  const { text } = await readFile(ctx, project, state, path)
  if (text.kind === 'binary') throw invalidField('path', 'is a binary file, which has no lines to show.')
  if (text.kind === 'too_large') {
    throw invalidField('path', `is a file of more than ${maxFileBytes / 2 ** 20} MiB, which is too large to show.`)
  }
  const lines = linesOf(text, from, limit)
  return {
    path,
    commitSha: state.commitSha,
    snapshotId: state.snapshotId,
    language: text.language,
    isHighlighted: text.isHighlighted,
    from,
    totalLines: text.totalLines,
    lines,
    truncatedLines: text.cutLines.filter(({ line }) => line >= from && line < from + limit),
  }
}

function linesOf({ pages }: TextLines, from: number, limit: number): [string, string | null][][] {
  const first = Math.floor((from - 1) / linesPerPage)
  const last = Math.floor((from + limit - 2) / linesPerPage)
  // The task wrote these texts.
  const lines = pages.slice(first, last + 1).flatMap((page) => JSON.parse(page) as [...Token][][])
  const start = from - 1 - first * linesPerPage
  return lines.slice(start, start + limit)
}
