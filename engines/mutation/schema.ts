import { z } from 'zod'

export const MutationOperator = z.enum([
  'condition',
  'boundary',
  'return',
  'arithmetic',
  'removed_call',
  'removed_throw',
])
export type MutationOperator = z.infer<typeof MutationOperator>

export const JudgedMutant = z.object({
  path: z.string(),
  line: z.int(),
  operator: MutationOperator,
  original: z.string(),
  replacement: z.string(),
})
export type JudgedMutant = z.infer<typeof JudgedMutant>
