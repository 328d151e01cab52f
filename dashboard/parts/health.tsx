import type { Outputs } from '../api.ts'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

export type Test = Outputs['tests']['list']['tests'][number]
export type Health = Test['health']

/** Every health of a test, the worst first. */
export const healths = ['broken', 'flaky', 'new', 'stale', 'healthy'] as const satisfies readonly Health[]

export const modeTexts = { muted: 'Muted', skipped: 'Skipped' } as const

/** The quarantine of a test: since when its failures do not decide, or that someone asks for it. */
export function QuarantineTag({ of }: { of: Test['quarantine'] }) {
  if (of === null) return undefined
  if (of.status === 'requested') return <Status of="requested" text="Quarantine requested" />
  return (
    <span className="quarantine-tag">
      <Status of="muted" text={modeTexts[of.mode]} />
      {of.expiresAt === null ? undefined : (
        <span className="quiet">
          ends <Time at={of.expiresAt} />
        </span>
      )}
    </span>
  )
}

/** Tells results of one test apart, such as those on another operating system. */
export function VariantTag({ of }: { of: string | null }) {
  return of === null || of === '' ? undefined : (
    <span className="tag" title="Variant">
      <bdi>{of.slice(0, 120)}</bdi>
    </span>
  )
}

/** In an address, the variant without a name. */
const unnamed = '~'

/** A variant as part of an address, which cannot be empty. */
export const variantParam = (variant: string) => (variant === '' ? unnamed : variant)

export const variantOf = (param: string | undefined) => (param === unnamed ? '' : param)
