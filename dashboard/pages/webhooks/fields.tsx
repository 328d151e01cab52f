import type { EventType } from '../../../core/events/schema.ts'
import { CheckField, TextField } from '../../parts/form.tsx'
import { eventsFor, eventTexts } from './events.ts'

export interface WebhookForm {
  url: string
  description: string
  events: readonly EventType[]
}

interface FieldsProps {
  form: WebhookForm
  scope: 'project' | 'organization'
  onChange: (form: WebhookForm) => void
}

/** The fields of a webhook that users choose. */
export function WebhookFields({ form, scope, onChange }: FieldsProps) {
  const offered = eventsFor(scope)
  return (
    <>
      <TextField
        label="URL"
        type="url"
        hint="Assay sends a signed POST with JSON to it."
        placeholder="https://ci.example.com/hooks/assay"
        value={form.url}
        onChange={(url) => onChange({ ...form, url })}
        required
        maxLength={2_048}
        spellCheck={false}
      />
      <TextField
        label="Description"
        hint="For your own notes."
        value={form.description}
        onChange={(description) => onChange({ ...form, description })}
        maxLength={200}
      />
      <fieldset className="checks">
        <legend>Events</legend>
        <div className="row">
          <button type="button" className="plain" onClick={() => onChange({ ...form, events: offered })}>
            All
          </button>
          <button type="button" className="plain" onClick={() => onChange({ ...form, events: [] })}>
            None
          </button>
        </div>
        {offered.map((event) => (
          <CheckField
            key={event}
            label={<code>{event}</code>}
            hint={eventTexts[event]}
            checked={form.events.includes(event)}
            onChange={(isChecked) =>
              onChange({
                ...form,
                events: offered.filter((each) => (each === event ? isChecked : form.events.includes(each))),
              })
            }
          />
        ))}
      </fieldset>
    </>
  )
}
