import { z } from 'zod'
import { cleanText, fence, shorten } from '../../../client/sanitize.ts'
import { dataNotice } from '../../answers/output.ts'
import { defineTool, Id } from '../tool.ts'

const Output = z.object({
  runId: z.string(),
  /** The number of the first line, from 0. */
  offset: z.int(),
  lines: z.array(z.string()),
  totalLines: z.int(),
  /** More lines may come. */
  live: z.boolean(),
  nextOffset: z.int().optional(),
  cut: z.string().optional(),
  note: z.string(),
})

const defaultLines = 60
const longestLine = 1_000

export const getRunLog = defineTool({
  name: 'get_run_log',
  title: 'Read the log of a run',
  description: `What a run printed, by default the last ${defaultLines} lines. For failed tests rather get_run_failures.`,
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    runId: Id,
    offset: z.int().optional().describe('Line to begin with; -100: a hundred before the end'),
    limit: z.int().min(1).max(1_000).optional(),
  }),
  outputSchema: Output,
  asked: ({ limit }) => limit !== undefined,
  run: async ({ runId, offset, limit }, call) => {
    const from = offset ?? -(limit ?? defaultLines)
    const log = await call.core.testRuns.log.query({ runId, offset: from, limit: limit ?? defaultLines })
    const end = log.offset + log.lines.length
    return {
      runId,
      offset: log.offset,
      lines: log.lines.map((line) => shorten(cleanText(line).replaceAll('\n', ' '), longestLine)),
      totalLines: log.totalLines,
      live: log.live,
      nextOffset: end < log.totalLines || log.live ? end : undefined,
      note: dataNotice,
    }
  },
  render: ({ runId, offset, lines, totalLines, live, nextOffset, cut, note }) =>
    [
      `Log of run ${runId}, ${lines.length === 0 ? `no lines from ${offset}` : `lines ${offset}-${offset + lines.length - 1}`} ` +
        `of ${totalLines}${live ? '; the run has not ended' : ''}.`,
      note,
      ...(lines.length > 0 ? [fence(lines.join('\n'))] : []),
      ...(cut === undefined ? [] : [cut]),
      ...(nextOffset === undefined || cut !== undefined
        ? []
        : [`Call again with offset ${nextOffset} for what comes then.`]),
    ].join('\n'),
  list: {
    count: ({ lines }) => lines.length,
    keep: ({ lines, offset, ...facts }, count) => {
      const nextOffset = offset + count
      const cut = `Only ${count} of the ${lines.length} lines fit into the answer. Call again with offset ${nextOffset} for the rest.`
      return { ...facts, offset, lines: lines.slice(0, count), nextOffset, cut }
    },
  },
})
