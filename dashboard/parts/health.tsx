import { Status } from './status.tsx'
import { modeTexts, type Test } from './test-names.ts'
import { Time } from './time.tsx'

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
