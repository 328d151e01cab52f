import type { z } from 'zod'
import { User } from '../../core/identity/users/schema.ts'
import { maybe, untrusted } from './untrusted.ts'
import { row } from './words.ts'

export const ProfileFact = User.pick({ id: true, emailVerified: true }).extend({
  name: untrusted.line(1_000),
  email: untrusted.line(1_000),
  avatar: maybe(untrusted.name(2_000)),
})
export type ProfileFact = z.infer<typeof ProfileFact>

export const renderProfile = ({ id, name, email, emailVerified, avatar }: ProfileFact) =>
  row(`${name} <${email}>${emailVerified ? '' : ' (address not verified)'}`, id, avatar)
