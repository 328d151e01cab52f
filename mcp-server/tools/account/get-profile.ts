import { z } from 'zod'
import { ProfileFact, profileFact, renderProfile } from '../../answers/profile-facts.ts'
import { defineTool } from '../tool.ts'

export const getProfile = defineTool({
  name: 'get_profile',
  title: 'Get the profile',
  description: 'Shows the account that the token belongs to: name, address, picture.',
  scope: 'profile:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: z.object({}),
  outputSchema: ProfileFact,
  run: async (_input, call) => profileFact(await call.core.auth.getProfile.query()),
  render: renderProfile,
})
