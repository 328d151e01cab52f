import type { Health, TestDetail, TestSummary } from '../core/tests/schema.ts'
import type { Quarantine } from '../core/quarantine/schema.ts'
import { cyan, dim, green, type Part, red, yellow } from './output.ts'
import { duration } from './words.ts'

const paints: Record<Health, (text: string) => Part> = {
  new: cyan,
  healthy: green,
  flaky: yellow,
  broken: red,
  stale: dim,
}

export const healthPart = (health: Health): Part => paints[health](health)

type Named = Pick<TestSummary, 'suite' | 'name'> & Partial<Pick<TestSummary, 'variant'>>

/** `cart > adds up (linux)` */
export function testNameOf({ suite, name, variant = '' }: Named): string {
  const full = suite === '' ? name : `${suite} > ${name}`
  return variant === '' ? full : `${full} (${variant})`
}

/** The results of a test without a name of their own have an unnamed variant. */
export const variantName = (variant: string): string => (variant === '' ? 'unnamed' : variant)

/** The characters of the strip, with their meanings. */
export const stripLegend = '. passed, R passed after a retry, F failed, M failed but muted, O failed in an outage'

const stripCharacters = { passed: '.', retried: 'R', failed: 'F', muted: 'M' } as const

/** Shows the latest results as characters, oldest first. */
export const stripOf = (strip: TestDetail['strip'], length = 60): string =>
  strip
    .slice(0, length)
    .toReversed()
    .map(({ status, outage }) => (outage !== null && status === 'failed' ? 'O' : stripCharacters[status]))
    .join('')

/** `muted until 2026-12-01`, `requested: muted`. */
export function quarantineInWords({
  status,
  mode,
  expiresAt,
}: Pick<Quarantine, 'status' | 'mode' | 'expiresAt'>): string {
  if (status === 'active') return `${mode}${expiresAt === null ? '' : ` until ${expiresAt.slice(0, 10)}`}`
  return status === 'requested' ? `requested: ${mode}` : status
}

export const milliseconds = (value: number | null): string | null =>
  value === null ? null : duration(Math.round(value))

export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`
