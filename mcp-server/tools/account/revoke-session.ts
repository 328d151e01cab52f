import { z } from 'zod'
import { cleanLine, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { defineTool, Id } from '../tool.ts'

export const revokeSession = defineTool({
  name: 'revoke_session',
  title: 'End a session',
  description: 'Ends one session of your account at once. list_sessions shows the ids.',
  scope: 'profile:write',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({ sessionId: Id }),
  outputSchema: z.object({ sessionId: z.string(), revoked: z.boolean() }),
  confirm: async ({ sessionId }, call) => {
    const sessions = await call.core.auth.listSessions.query()
    const session = sessions.find(({ id }) => id === sessionId)
    if (!session) throw new UserError('No such session. list_sessions lists your sessions.')
    const { id, createdAt, userAgent } = session
    const browser = shorten(cleanLine(userAgent ?? 'an unknown browser'), 100)
    return { name: id, what: `This ends the session ${id}, started ${createdAt} in ${browser}.` }
  },
  run: async ({ sessionId }, call) => {
    const { success } = await call.core.auth.revokeSession.mutate({ sessionToken: sessionId })
    return { sessionId, revoked: success }
  },
})
