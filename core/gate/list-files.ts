import type { Context } from '../base/context.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import { withGateSource } from './compare.ts'
import { getOwnGate } from './get.ts'
import type { FileOfGate, GateFilesPage, ListGateFiles } from './schema.ts'

const maxLines = 40
const maxLineLength = 500

type Line = GateFilesPage['files'][number]['code'][number]

/** Lists the files of a gate that have something to say, with the code of their uncovered lines. */
export async function listGateFiles(ctx: Context, input: ListGateFiles): Promise<GateFilesPage> {
  const { limit, offset } = input
  const { gate, project } = await getOwnGate(ctx, input.gateId)
  const all = gate.files ?? []
  const page = all.slice(offset, offset + limit)
  const code = new Map<string, Line[]>()
  const wanted = new Map(page.filter((file) => linesOf(file).length > 0).map((file) => [file.path, file]))
  if (wanted.size > 0) {
    try {
      await withGateSource(ctx, project, gate, async (source) => {
        for await (const { path, code: text } of source.readMany([...wanted.keys()])) {
          const file = wanted.get(path)
          if (file) code.set(path, excerpt(file, text))
        }
      })
    } catch (error) {
      // A branch may be deleted, and its commits with it.
      if (!(error instanceof RunFailure)) throw error
      ctx.log.info({ err: error, gateId: gate.id }, 'cannot read the code of a gate')
    }
  }
  return {
    files: page.map((file) => ({ ...file, code: code.get(file.path) ?? [] })),
    pagination: { total: all.length, limit, offset },
  }
}

function linesOf({ uncovered, partial }: FileOfGate): number[] {
  const lines = partial.map(({ line }) => line)
  for (const [first, last] of uncovered) {
    for (let line = first; line <= last && lines.length < 2 * maxLines; line++) lines.push(line)
  }
  return lines.toSorted((a, b) => a - b).slice(0, maxLines)
}

function excerpt(file: FileOfGate, text: string): Line[] {
  const lines = text.split(/\r?\n/)
  return linesOf(file).map((line) => ({ line, text: (lines[line - 1] ?? '').slice(0, maxLineLength) }))
}
