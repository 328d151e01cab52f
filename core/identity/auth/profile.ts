import { type Context, requireUnconfined, requireUser } from '../../base/context.ts'
import { notFound } from '../../base/errors.ts'
import { UserEntity } from '../users/entity.ts'
import { presentUser } from '../users/present.ts'
import type { UpdateProfile } from './schema.ts'
import type { User } from '../users/schema.ts'

/** Returns the caller's user record. */
export async function getProfile(ctx: Context): Promise<User> {
  const user = await ctx.db.getRepository(UserEntity).findOneBy({ id: requireUser(ctx).userId })
  if (!user) throw notFound('user')
  return presentUser(user)
}

/** Changes the given fields; `avatar: null` removes the picture. */
export async function updateProfile(ctx: Context, input: UpdateProfile): Promise<User> {
  const { userId } = requireUnconfined(ctx, 'change the profile')
  const changes = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.avatar === undefined ? {} : { avatar: input.avatar }),
  }
  if (Object.keys(changes).length > 0) {
    await ctx.db.getRepository(UserEntity).update({ id: userId }, { ...changes, updatedAt: ctx.now() })
  }
  return getProfile(ctx)
}
