import { z } from 'zod'

export const User = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  avatar: z.string().nullable(),
  emailVerified: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type User = z.infer<typeof User>

export const UpdateProfile = z.object({
  name: z.string().trim().min(1).max(100).optional(),
  avatar: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_000)
    .nullable()
    .optional(),
})
export type UpdateProfile = z.infer<typeof UpdateProfile>
