import { z } from 'zod'
import { CurrentToken } from '../../../core/identity/tokens/schema.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool } from '../tool.ts'

const Name = untrusted.line(1_000)

export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  description: 'Shows the user, scopes and expiry of the token. Use it when a call is refused.',
  scope: null,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({}),
  outputSchema: z.object({
    user: z.object({ id: z.string(), name: Name, email: Name }),
    tokenName: Name,
    scopes: z.array(z.string()),
    expiresAt: CurrentToken.shape.expiresAt,
    organizationId: maybe(z.string()),
    projectId: maybe(z.string()),
    /** The project that the server is confined to, whatever the token allows. */
    confinedTo: z.string().optional(),
  }),
  run: async (_input, call) => {
    const { name: tokenName, ...token } = await call.core.tokens.current.query()
    return { ...token, tokenName, confinedTo: call.projectId }
  },
})
