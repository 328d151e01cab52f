import { z } from 'zod'
import { Session } from '../../../core/identity/sessions/schema.ts'
import { Page, pageOf, peopleNotice } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool } from '../tool.ts'

const shownAtOnce = 50

const SessionFact = Session.pick({ id: true, createdAt: true, expiresAt: true }).extend({
  ipAddress: maybe(untrusted.line(100)),
  userAgent: maybe(untrusted.line(200)),
})

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'Lists the sessions of your account: id, start, IP address and browser. revoke_session ends one.',
  scope: 'profile:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ offset: z.int().min(0).default(0) }),
  outputSchema: z.object({ sessions: z.array(SessionFact), ...Page.shape, note: z.string() }),
  run: async ({ offset }, call) => {
    const { items, page } = pageOf(await call.core.auth.listSessions.query(), offset, shownAtOnce)
    return { sessions: items, ...page, note: peopleNotice }
  },
})
