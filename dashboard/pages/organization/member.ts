import type { Outputs } from '../../api.ts'

/** A member or an invitation. */
export type Member = Outputs['organizations']['getMembers'][number]
