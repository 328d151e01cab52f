import { useState } from 'react'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { Field, Form, TextField } from '../../parts/form.tsx'
import { plural } from '../../parts/number-text.ts'
import { Empty, Section } from '../../parts/page.tsx'
import { Table } from '../../parts/table.tsx'
import { type TabProps, useSaveSettings } from './use-draft.ts'

/** The names of the variables that installs and tests get. Values cannot be read. */
export function EnvironmentTab({ project, settings, isAdmin }: TabProps) {
  const [removing, setRemoving] = useState<string>()
  const { save, isSaving } = useSaveSettings(project.id, () => setRemoving(undefined))
  const names = settings.environment
  return (
    <>
      <p>
        Installs and tests get these variables. Values are stored encrypted, appear as <code>***</code> in logs and
        results, and cannot be read again. Pull requests from forks do not get them.
      </p>
      <Section title={plural(names.length, 'variable')} id="variables">
        {names.length === 0 ? (
          <Empty title="No variables">
            <p>Set one below, for example the address of a private registry or a key for an integration test.</p>
          </Empty>
        ) : (
          <Table
            label="Environment variables"
            rows={names}
            rowKey={(name) => name}
            columns={[
              { id: 'name', title: 'Name', cell: (name) => <code>{name}</code>, value: (name) => name },
              { id: 'value', title: 'Value', cell: () => <span className="quiet">set, hidden</span> },
              {
                id: 'remove',
                title: 'Action',
                align: 'right',
                cell: (name) => (
                  <button type="button" className="plain" disabled={!isAdmin} onClick={() => setRemoving(name)}>
                    Remove<span className="visually-hidden"> {name}</span>
                  </button>
                ),
              },
            ]}
          />
        )}
      </Section>
      {isAdmin ? <SetVariable project={project} names={names} /> : undefined}
      {removing === undefined ? undefined : (
        <ConfirmByName
          title="Remove variable"
          name={removing}
          action="Remove variable"
          isBusy={isSaving}
          onConfirm={() => save({ environment: { [removing]: null } })}
          onClose={() => setRemoving(undefined)}
        >
          <p>Later runs do not get it, and its value cannot be restored.</p>
        </ConfirmByName>
      )}
    </>
  )
}

function SetVariable({ project, names }: Pick<TabProps, 'project'> & { names: readonly string[] }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const { save, isSaving } = useSaveSettings(project.id, () => {
    setName('')
    setValue('')
  })
  const isKnown = names.includes(name)
  return (
    <Section title="Set a variable">
      <Form onSubmit={() => save({ environment: { [name]: value } })} label="Set a variable">
        <TextField
          label="Name"
          hint="Letters, digits and underscores."
          value={name}
          onChange={setName}
          required
          pattern="[A-Za-z_][A-Za-z0-9_]{0,127}"
          spellCheck={false}
        />
        <Field
          label="Value"
          hint="At most 32 KiB; all values together at most 256 KiB. Values of fewer than six characters stay visible in logs."
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={3}
              maxLength={32_768}
              spellCheck={false}
              autoComplete="off"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <button type="submit" disabled={isSaving || name === ''}>
            {isKnown ? `Replace ${name}` : 'Set variable'}
          </button>
        </div>
      </Form>
    </Section>
  )
}
