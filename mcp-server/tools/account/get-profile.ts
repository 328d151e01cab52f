import { z } from 'zod'
import { ProfileFact } from '../../answers/profile-facts.ts'
import { defineTool } from '../tool.ts'

export const getProfile = defineTool({
  name: 'get_profile',
  title: 'Get the profile',
  description: 'Shows the account of the token: name, e-mail address, picture.',
  scope: 'profile:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({}),
  outputSchema: ProfileFact,
  run: async (_input, call) => call.core.auth.getProfile.query(),
})
