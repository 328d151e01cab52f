import { z } from 'zod'

/** The member of an organization on whose behalf an integration calls. */
export const userEmail = z.string().max(320).optional()

export const branch = z.string().trim().min(1).max(255)

export const commitSha = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, 'must be a full commit id: 40 or 64 hexadecimal digits')
  .transform((id) => id.toLowerCase())

/** The requested part of a list. */
export const page = { limit: z.int().min(1).max(100).default(20), offset: z.int().min(0).default(0) }

export const Pagination = z.object({ total: z.int(), limit: z.int(), offset: z.int() })

/** The time that the call may wait for the work to complete. */
export const waitSeconds = z.number().min(0).max(45).default(0)
