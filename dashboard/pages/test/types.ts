import type { Outputs } from '../../api.ts'

export type TestDetail = Outputs['tests']['get']
