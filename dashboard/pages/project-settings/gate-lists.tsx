import { type ReactNode, useId } from 'react'
import { TextField } from '../../parts/form.tsx'
import type { FieldsProps } from './gate-fields.tsx'
import { type ComponentForm, componentsIn, type PathPrefix, prefixesIn, targetPattern } from './gate-form.ts'
import { PatternsField } from './tests.tsx'

interface ListProps<Entry extends object> {
  title: string
  hint: string
  /** What one entry is, such as `component`. */
  noun: string
  entries: readonly Entry[]
  empty: Entry
  max: number
  onChange: (entries: Entry[]) => void
  children: (entry: Entry, set: (change: Partial<Entry>) => void) => ReactNode
}

/** Entries with fields of their own, which the user adds and removes. */
function ListFields<Entry extends object>(props: ListProps<Entry>) {
  const { title, hint, noun, entries, empty, max, onChange, children } = props
  const hintId = useId()
  return (
    <fieldset className="stack" aria-describedby={hintId}>
      <legend>{title}</legend>
      <p id={hintId} className="hint">
        {hint}
      </p>
      {entries.map((entry, index) => (
        // Entries have no names before the user types one.
        <div key={index} role="group" aria-label={`${noun} ${index + 1}`} className="card stack">
          {children(entry, (change) =>
            onChange(entries.map((each, at) => (at === index ? { ...each, ...change } : each))),
          )}
          <p>
            <button type="button" className="plain" onClick={() => onChange(entries.filter((_, at) => at !== index))}>
              Remove {noun} {index + 1}
            </button>
          </p>
        </div>
      ))}
      <p>
        <button
          type="button"
          className="plain"
          disabled={entries.length >= max}
          onClick={() => onChange([...entries, empty])}
        >
          Add {noun}
        </button>
      </p>
    </fieldset>
  )
}

const noComponent: ComponentForm = { name: '', paths: '', upload: '', patchTarget: '', maxUncovered: '' }

/** Parts of the repository with goals of their own. */
export function ComponentFields({ form, set }: FieldsProps) {
  return (
    <ListFields
      title="Components"
      hint="Parts of the repository, or of the uploads, with goals of their own."
      noun="component"
      entries={componentsIn(form)}
      empty={noComponent}
      max={50}
      onChange={(entries) => set('components', JSON.stringify(entries))}
    >
      {(entry, change) => (
        <div className="fields">
          <TextField label="Name" required maxLength={120} value={entry.name} onChange={(name) => change({ name })} />
          <TextField
            label="Covered changed lines, in percent"
            hint="A number, auto, or empty for no rule."
            pattern={targetPattern}
            title="A number from 0 to 100, auto, or empty"
            maxLength={20}
            value={entry.patchTarget}
            onChange={(patchTarget) => change({ patchTarget })}
          />
          <TextField
            label="Most uncovered lines"
            hint="Empty: no rule."
            type="number"
            min={0}
            max={1_000_000}
            value={entry.maxUncovered}
            onChange={(maxUncovered) => change({ maxUncovered })}
          />
          <PatternsField
            label="Files"
            hint="One pattern on a line. Empty: all files."
            placeholder="billing/**"
            value={entry.paths}
            onChange={(paths) => change({ paths })}
          />
          <TextField
            label="Upload"
            hint="Counts only coverage of uploads with this name. Empty: of all."
            maxLength={120}
            value={entry.upload}
            onChange={(upload) => change({ upload })}
          />
        </div>
      )}
    </ListFields>
  )
}

const noPrefix: PathPrefix = { report: '', repository: '' }

/** Which files count, and where files of reports are in the repository. */
export function FileFields({ form, set }: FieldsProps) {
  return (
    <>
      <PatternsField
        label="Ignored files"
        hint="One pattern on a line. Their changed lines do not count. Generated files count if reports name them."
        placeholder="**/*.stories.tsx"
        value={form.ignore}
        onChange={(value) => set('ignore', value)}
      />
      <ListFields
        title="Path prefixes"
        hint="Needed if reports name files by paths that Assay cannot match with the repository by itself."
        noun="prefix"
        entries={prefixesIn(form)}
        empty={noPrefix}
        max={50}
        onChange={(entries) => set('pathPrefixes', JSON.stringify(entries))}
      >
        {(entry, change) => (
          <div className="fields">
            <TextField
              label="In reports"
              hint="Empty: every path."
              maxLength={300}
              spellCheck={false}
              placeholder="/home/ci/shop/"
              value={entry.report}
              onChange={(report) => change({ report })}
            />
            <TextField
              label="In the repository"
              hint="Empty: its root."
              maxLength={300}
              spellCheck={false}
              placeholder="packages/shop/"
              value={entry.repository}
              onChange={(repository) => change({ repository })}
            />
          </div>
        )}
      </ListFields>
    </>
  )
}
