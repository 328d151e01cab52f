import type { Outputs } from '../api.ts'

export type Test = Outputs['tests']['list']['tests'][number]
export type Health = Test['health']

/** Every health of a test, the worst first. */
export const healths = ['broken', 'flaky', 'new', 'stale', 'healthy'] as const satisfies readonly Health[]

/** What a quarantine does to a test. */
export const modeTexts = { muted: 'Muted', skipped: 'Skipped' } as const

/** In an address, the variant without a name. */
const unnamed = '~'

/** A variant as part of an address, which cannot be empty. */
export const variantParam = (variant: string) => (variant === '' ? unnamed : variant)

export const variantOf = (param: string | undefined) => (param === unnamed ? '' : param)
