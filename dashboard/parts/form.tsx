import { type ComponentProps, type FormEvent, type ReactNode, useId } from 'react'
import '../styles/form.css'

interface FormProps {
  onSubmit: () => void
  children: ReactNode
  label?: string
}

/** A form that a script submits. */
export function Form({ onSubmit, children, label }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className="form" onSubmit={submit} aria-label={label}>
      {children}
    </form>
  )
}

interface FieldProps {
  label: string
  hint?: ReactNode
  children: (attributes: { id: string; 'aria-describedby': string | undefined }) => ReactNode
}

/** A label, a control and its explanation. Spread the given attributes into the control. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : hintId })}
      {hint === undefined ? undefined : (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

interface TextProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'id'> {
  label: string
  hint?: ReactNode
  value: string
  onChange: (value: string) => void
}

export function TextField({ label, hint, value, onChange, ...input }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          autoComplete="off"
          {...input}
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps {
  label: string
  hint?: ReactNode
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
  disabled?: boolean
}

export function ChoiceField({ label, hint, value, options, onChange, disabled }: ChoiceProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} disabled={disabled} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'onChange' | 'id'> {
  label: ReactNode
  hint?: ReactNode
  onChange: (isChecked: boolean) => void
}

/** A checkbox, or a radio button with `type="radio"`, and what it means. */
export function CheckField({ label, hint, onChange, ...input }: CheckProps) {
  const id = useId()
  return (
    <div className="check">
      <input
        type="checkbox"
        {...input}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? undefined : (
        <span id={`${id}-hint`} className="hint">
          {hint}
        </span>
      )}
    </div>
  )
}
