import { type ReactNode, useEffect, useRef, useState } from 'react'

/** The row of filters above a list. A page with several rows names each by its `label`. */
export function Filters({ label = 'Filters', children }: { label?: string; children: ReactNode }) {
  return (
    <form className="filters" role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  )
}

interface SearchProps {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  suggestions?: readonly string[]
}

/** A search field that reports its text once the user pauses. The page can be changed from elsewhere meanwhile. */
export function SearchField({ label, value, onChange, suggestions }: SearchProps) {
  const [text, setText] = useState(value ?? '')
  const report = useRef(onChange)
  report.current = onChange
  useEffect(() => setText(value ?? ''), [value])
  useEffect(() => {
    if (text === (value ?? '')) return undefined
    const timer = setTimeout(() => report.current(text === '' ? undefined : text), 250)
    return () => clearTimeout(timer)
  }, [text, value])
  const listId = suggestions ? `${label}-suggestions` : undefined
  return (
    <label className="filter">
      <span>{label}</span>
      <input
        type="search"
        value={text}
        maxLength={200}
        list={listId}
        onChange={(event) => setText(event.target.value)}
      />
      {suggestions ? (
        <datalist id={listId}>
          {suggestions.map((each) => (
            <option key={each} value={each} label={each} />
          ))}
        </datalist>
      ) : undefined}
    </label>
  )
}

interface SelectProps {
  label: string
  value: string | undefined
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string | undefined) => void
  /** The text of the choice that filters nothing. */
  any?: string
  /** For long choices. */
  wide?: boolean
}

export function SelectField({ label, value, options, onChange, any = 'All', wide = false }: SelectProps) {
  return (
    <label className="filter" style={wide ? { flexBasis: '24rem' } : undefined}>
      <span>{label}</span>
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)}>
        <option value="">{any}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
