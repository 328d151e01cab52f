import type { Outputs } from '../../api.ts'

export type Verification = Outputs['tests']['getVerification']
export type Evidence = NonNullable<Verification['evidence']>
