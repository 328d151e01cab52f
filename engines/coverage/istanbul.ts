import { z } from 'zod'
import type { ReportSource } from '../reports/report.ts'
import { jsonMembers } from './json-members.ts'
import type { FileRecord, ReportRecord } from './record.ts'

// A missing `else` has empty positions.
const Position = z.object({ line: z.number().nullish(), column: z.number().nullish() })
const Range = z.object({ start: Position, end: Position })
const FileEntry = z.object({
  path: z.string().optional(),
  statementMap: z.record(z.string(), Range),
  s: z.record(z.string(), z.number()),
  branchMap: z.record(z.string(), z.object({ loc: Range.optional(), locations: z.array(z.unknown()) })).default({}),
  b: z.record(z.string(), z.array(z.number())).default({}),
  fnMap: z.record(z.string(), z.object({ loc: Range.optional(), decl: Range.optional() })).default({}),
  f: z.record(z.string(), z.number()).default({}),
})
type FileEntry = z.infer<typeof FileEntry>

/**
 * Istanbul's `coverage-final.json`. A line is code where a statement begins, and covered where one of these ran.
 * Positions identify branches and functions, because versions of the tools number them differently.
 */
export async function readIstanbul(source: ReportSource, record: ReportRecord): Promise<void> {
  for await (const [key, value] of jsonMembers(source, record)) {
    const { success, data, error } = FileEntry.safeParse(unwrapped(value))
    if (!success) {
      const [issue] = error.issues
      record.fail(
        `"${key.slice(0, 200)}" is not the coverage of a file: ${issue?.path.slice(0, 6).join('.')}: ${issue?.message}`,
      )
    }
    const file = record.file({ names: [data.path ?? key] })
    if (file !== null) readEntry(data, file)
  }
}

/** Older versions wrap the entry in `data`. */
function unwrapped(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'data' in value && !('s' in value) ? value.data : value
}

function readEntry({ statementMap, s, branchMap, b, fnMap, f }: FileEntry, file: FileRecord): void {
  for (const [key, { start }] of Object.entries(statementMap)) file.line(start.line ?? 0, (s[key] ?? 0) > 0)
  for (const [key, { loc, locations }] of Object.entries(branchMap)) {
    const counts = b[key] ?? []
    for (let index = 0; index < locations.length; index++)
      file.branch(loc?.start.line ?? 0, `${place(loc) || key} ${index}`, (counts[index] ?? 0) > 0)
  }
  for (const [key, { loc, decl }] of Object.entries(fnMap)) {
    const range = loc ?? decl
    const isCalled = (f[key] ?? 0) > 0
    file.function(range?.start.line ?? 0, place(range) || key, isCalled)
    file.call((decl ?? loc)?.start.line ?? 0, isCalled)
  }
}

function place(range: z.infer<typeof Range> | undefined): string {
  return range ? `${range.start.column}:${range.end.line}:${range.end.column}` : ''
}
