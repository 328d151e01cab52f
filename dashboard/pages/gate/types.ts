import type { Outputs } from '../../api.ts'

export type Gate = Outputs['gate']['get']
export type Figures = NonNullable<Gate['figures']>
export type Reason = Gate['reasons'][number]
