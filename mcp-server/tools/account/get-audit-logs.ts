import { z } from 'zod'
import { AuditLog } from '../../../core/identity/audit/schema.ts'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { peopleNotice } from '../../answers/output.ts'
import { defineTool } from '../tool.ts'

const defaultLimit = 20

const AuditLine = AuditLog.pick({ action: true, createdAt: true }).extend({
  ipAddress: z.string().optional(),
  userAgent: z.string().optional(),
  /** As JSON, since each action has its own. */
  details: z.string().optional(),
})

export const getAuditLogs = defineTool({
  name: 'get_audit_logs',
  title: 'Read the audit log',
  description: 'Lists what happened to your account, newest first: sign-ins, tokens, changes of rights.',
  scope: 'audit:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ limit: z.int().min(1).max(100).optional(), offset: z.int().min(0).default(0) }),
  outputSchema: z.object({
    entries: z.array(AuditLine),
    offset: z.int(),
    /** Absent on the last page. */
    nextOffset: z.int().optional(),
    cut: z.string().optional(),
    note: z.string(),
  }),
  asked: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, offset }, call) => {
    const rows = await call.core.auth.getAuditLogs.query({ limit, offset })
    const entries = rows.map(({ action, createdAt, ipAddress, userAgent, metadata }) => ({
      action,
      createdAt,
      ipAddress: ipAddress === null ? undefined : shorten(cleanLine(ipAddress), 100),
      userAgent: userAgent === null ? undefined : shorten(cleanLine(userAgent), 200),
      details: metadata === null ? undefined : shorten(cleanLine(JSON.stringify(metadata)), 500),
    }))
    const nextOffset = rows.length === limit ? offset + limit : undefined
    return { entries, offset, ...(nextOffset === undefined ? {} : { nextOffset }), note: peopleNotice }
  },
  render: ({ entries, offset, nextOffset, cut, note }) =>
    [
      entries.length === 0 ? 'No entries.' : `Entries ${offset + 1}-${offset + entries.length}, newest first.`,
      ...entries.map(({ action, createdAt, ipAddress, userAgent, details }) =>
        [createdAt, action, ipAddress, userAgent, details].filter((part) => part !== undefined).join(' | '),
      ),
      ...(cut ? [cut] : []),
      ...(nextOffset === undefined || cut
        ? []
        : [`Call again with offset ${nextOffset} for older ones, if there are.`]),
      note,
    ].join('\n'),
  list: {
    count: ({ entries }) => entries.length,
    keep: ({ entries, offset, ...facts }, count) => ({
      ...facts,
      entries: entries.slice(0, count),
      offset,
      nextOffset: offset + count,
      cut: `Only ${count} of ${entries.length} entries fit into the answer. Call again with offset ${offset + count} for the rest.`,
    }),
  },
})
