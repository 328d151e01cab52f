import type { Outputs } from '../../api.ts'

export type Measurement = Outputs['strength']['get']
export type Evidence = NonNullable<Measurement['evidence']>
export type Survivor = Evidence['survivors'][number]

/** Whether a file is the path, or below it. */
export const isBelow = (file: string, path: string | undefined) =>
  path === undefined || file === path || file.startsWith(`${path}/`)
