import { z } from 'zod'
import { Session } from '../../../core/identity/sessions/schema.ts'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { cutPage, Page, pageOf, peopleNotice, renderPageEnd } from '../../answers/output.ts'
import { defineTool } from '../tool.ts'

const shownAtOnce = 50

const SessionFact = Session.pick({ id: true, createdAt: true, expiresAt: true }).extend({
  ipAddress: z.string().optional(),
  userAgent: z.string().optional(),
})

export const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'Lists where your account is signed in: id, since when, address and browser. revoke_session ends one.',
  scope: 'profile:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ offset: z.int().min(0).default(0) }),
  outputSchema: z.object({ sessions: z.array(SessionFact), ...Page.shape, note: z.string() }),
  run: async ({ offset }, call) => {
    const { items, page } = pageOf(await call.core.auth.listSessions.query(), offset, shownAtOnce)
    const sessions = items.map(({ id, createdAt, expiresAt, ipAddress, userAgent }) => ({
      id,
      createdAt,
      expiresAt,
      ipAddress: ipAddress === null ? undefined : shorten(cleanLine(ipAddress), 100),
      userAgent: userAgent === null ? undefined : shorten(cleanLine(userAgent), 200),
    }))
    return { sessions, ...page, note: peopleNotice }
  },
  render: ({ sessions, note, total, ...page }) =>
    [
      `${total} ${total === 1 ? 'session' : 'sessions'}${sessions.length < total ? `, ${sessions.length} shown` : ''}.`,
      ...sessions.map(({ id, createdAt, expiresAt, ipAddress = 'address unknown', userAgent = 'browser unknown' }) =>
        [id, `since ${createdAt}`, `until ${expiresAt}`, ipAddress, userAgent].join(' | '),
      ),
      ...renderPageEnd({ total, ...page }),
      ...(total === 0 ? [] : [note]),
    ].join('\n'),
  list: {
    count: ({ sessions }) => sessions.length,
    keep: ({ sessions, total, offset, nextOffset, ...facts }, count) => {
      const { items, page } = cutPage(sessions, { total, offset, nextOffset }, count)
      return { ...facts, sessions: items, ...page }
    },
  },
})
