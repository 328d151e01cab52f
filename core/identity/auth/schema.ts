import { z } from 'zod'

export const UpdateProfile = z.object({
  name: z.string().trim().min(1).max(100).optional(),
  avatar: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_000)
    .nullable()
    .optional(),
})
export type UpdateProfile = z.infer<typeof UpdateProfile>
