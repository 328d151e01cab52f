import { z } from 'zod'
import { AuditLog } from '../../../core/identity/audit/schema.ts'
import { peopleNotice } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool } from '../tool.ts'

const defaultLimit = 20

const AuditLine = AuditLog.pick({ action: true, createdAt: true }).extend({
  ipAddress: maybe(untrusted.line(100)),
  userAgent: maybe(untrusted.line(200)),
  /** JSON, because each action has fields of its own. */
  details: maybe(untrusted.line(500)),
})

export const getAuditLogs = defineTool({
  name: 'get_audit_logs',
  title: 'Read the audit log',
  description: 'Lists the events of your account, newest first: sign-ins, tokens, changes of rights.',
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
  namesAmount: ({ limit }) => limit !== undefined,
  run: async ({ limit = defaultLimit, offset }, call) => {
    const rows = await call.core.auth.getAuditLogs.query({ limit, offset })
    const entries = rows.map(({ metadata, ...entry }) => ({ ...entry, details: metadata && JSON.stringify(metadata) }))
    return { entries, offset, ...(rows.length === limit ? { nextOffset: offset + limit } : {}), note: peopleNotice }
  },
})
