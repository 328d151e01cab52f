import type { Outputs } from '../../api.ts'

export type Candidate = Outputs['analysis']['listCandidates']['candidates'][number]
