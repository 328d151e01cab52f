import { z } from 'zod'
import { User } from '../../core/identity/users/schema.ts'
import { cleanLine, cleanName, shorten } from '../../client/sanitize.ts'

export const ProfileFact = User.pick({ id: true, name: true, email: true, emailVerified: true }).extend({
  avatar: z.string().optional(),
})
export type ProfileFact = z.infer<typeof ProfileFact>

export function profileFact({ id, name, email, emailVerified, avatar }: User): ProfileFact {
  return {
    id,
    name: cleanLine(name),
    email: cleanLine(email),
    emailVerified,
    ...(avatar === null ? {} : { avatar: shorten(cleanName(avatar), 2_000) }),
  }
}

export const renderProfile = ({ id, name, email, emailVerified, avatar }: ProfileFact) =>
  `${name} <${email}>${emailVerified ? '' : ' (address not verified)'} | ${id}${avatar ? ` | ${avatar}` : ''}`
