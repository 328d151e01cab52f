import { User } from '../../core/identity/users/schema.ts'
import { maybe, untrusted } from './untrusted.ts'

export const ProfileFact = User.pick({ id: true, emailVerified: true }).extend({
  name: untrusted.line(1_000),
  email: untrusted.line(1_000),
  avatar: maybe(untrusted.name(2_000)),
})
