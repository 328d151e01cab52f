import { UpdateProfile } from '../../../core/identity/auth/schema.ts'
import { ProfileFact } from '../../answers/profile-facts.ts'
import { defineTool, refuse } from '../tool.ts'

export const updateProfile = defineTool({
  name: 'update_profile',
  title: 'Change the profile',
  description: 'Changes the name or picture of your account.',
  scope: 'profile:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: UpdateProfile.pick({ name: true }).extend({
    avatar: UpdateProfile.shape.avatar.unwrap().unwrap().optional(),
  }),
  outputSchema: ProfileFact,
  run: async (input, call) => {
    if (input.name === undefined && input.avatar === undefined) {
      refuse('give a name or the address of an avatar.')
    }
    return call.core.auth.updateProfile.mutate(input)
  },
})
