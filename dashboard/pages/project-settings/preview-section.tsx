import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'

interface PreviewSectionProps<Data> {
  /** The changed rules of the form, and those that the preview shows; as JSON. */
  wanted: string
  shown: string | undefined
  onShow: (wanted: string) => void
  preview: UseQueryResult<Data, unknown>
  texts: {
    /** While no rule is changed. */
    idle: string
    ready: string
    busy: string
  }
  children: (data: Data) => ReactNode
}

/** What changed rules would have decided, on demand. Nothing is saved. */
export function PreviewSection<Data>({ wanted, shown, onShow, preview, texts, children }: PreviewSectionProps<Data>) {
  const isOld = shown !== undefined && shown !== wanted
  const isSame = wanted === '{}'
  return (
    <Section
      title="Preview"
      actions={
        <button
          type="button"
          className="plain"
          disabled={isSame || preview.isFetching}
          onClick={() => (shown === wanted ? void preview.refetch() : onShow(wanted))}
        >
          {shown === undefined ? 'Preview' : 'Preview again'}
        </button>
      }
    >
      <div aria-live="polite" className="stack">
        {shown === undefined ? <p className="quiet">{isSame ? texts.idle : texts.ready}</p> : undefined}
        {preview.isFetching ? <p className="quiet">{texts.busy}</p> : undefined}
        {isOld ? <p className="tone-warn">The rules have changed since. Preview them again.</p> : undefined}
        {preview.error && !preview.isFetching ? <Problem error={preview.error} /> : undefined}
        {preview.data ? children(preview.data) : undefined}
      </div>
    </Section>
  )
}
