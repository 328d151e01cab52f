import { z } from 'zod'
import { cleanText, shorten } from '../../../client/sanitize.ts'
import { dataNotice } from '../../answers/output.ts'
import { defineTool, Id } from '../tool.ts'

const maxLineBytes = 1_000
const LogLine = z.string().overwrite((line) => shorten(cleanText(line).replaceAll('\n', ' '), maxLineBytes))

const defaultLines = 60

export const getRunLog = defineTool({
  name: 'get_run_log',
  title: 'Read the log of a run',
  description: `Returns the output of a run, by default the last ${defaultLines} lines. For failed tests prefer get_run_failures.`,
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    runId: Id,
    offset: z.int().optional().describe('First line; -100: a hundred lines before the end'),
    limit: z.int().min(1).max(1_000).optional(),
  }),
  outputSchema: z.object({
    runId: z.string(),
    /** The number of the first line, from 0. */
    offset: z.int(),
    lines: z.array(LogLine),
    totalLines: z.int(),
    /** The run has not ended, so more lines may follow. */
    live: z.boolean(),
    nextOffset: z.int().optional(),
    cut: z.string().optional(),
    note: z.string(),
  }),
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ runId, offset, limit }, call) => {
    const from = offset ?? -(limit ?? defaultLines)
    const log = await call.core.testRuns.log.query({ runId, offset: from, limit: limit ?? defaultLines })
    const end = log.offset + log.lines.length
    return { ...log, runId, nextOffset: end < log.totalLines || log.live ? end : undefined, note: dataNotice }
  },
})
