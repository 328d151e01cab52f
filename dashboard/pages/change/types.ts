import type { Outputs } from '../../api.ts'

export type Change = Outputs['changes']['get']
export type Evidence = NonNullable<Change['evidence']>
