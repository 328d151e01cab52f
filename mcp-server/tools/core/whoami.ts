import { z } from 'zod'
import { CurrentToken } from '../../../core/identity/tokens/schema.ts'
import { cleanLine } from '../../../client/sanitize.ts'
import { defineTool } from '../tool.ts'

export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  description: 'Shows whose token this is, what its scopes allow and when it expires. Use it when a call is refused.',
  scope: null,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({}),
  outputSchema: CurrentToken.pick({ expiresAt: true }).extend({
    organizationId: z.string().optional(),
    projectId: z.string().optional(),
    /** The server's choice, whatever the token may do. */
    confinedTo: z.string().optional(),
    scopes: z.array(z.string()),
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
    tokenName: z.string(),
  }),
  run: async (_input, call) => {
    const { user, name, scopes, expiresAt, organizationId, projectId } = await call.core.tokens.current.query()
    return {
      user: { id: user.id, name: cleanLine(user.name), email: cleanLine(user.email) },
      tokenName: cleanLine(name),
      scopes,
      expiresAt,
      organizationId: organizationId ?? undefined,
      projectId: projectId ?? undefined,
      confinedTo: call.projectId,
    }
  },
  render: ({ user, tokenName, scopes, expiresAt, organizationId, projectId, confinedTo }) =>
    [
      `You act as ${user.name} <${user.email}> (${user.id}).`,
      `Token "${tokenName}", good until ${expiresAt}, scopes: ${scopes.join(', ')}.`,
      ...(organizationId === undefined ? [] : [`It is limited to the organization ${organizationId}.`]),
      ...(confinedTo === undefined ? [] : [`This server is confined to the project ${confinedTo}.`]),
      ...(projectId === undefined || projectId === confinedTo ? [] : [`It is limited to the project ${projectId}.`]),
    ].join('\n'),
})
