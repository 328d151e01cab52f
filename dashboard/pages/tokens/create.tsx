import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Scope } from '../../../core/base/schema.ts'
import { type Outputs, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CheckField, ChoiceField, Form, TextField } from '../../parts/form.tsx'
import { type Preset, presetOf, presets, scopes, scopeTexts } from './scopes.ts'
import '../../styles/tokens.css'

const route = getRouteApi('/settings/tokens')

const lifetimes = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['180', '180 days'],
  ['365', '1 year, the longest'],
] as const

interface CreateProps {
  onCreated: (token: Outputs['tokens']['create']) => void
  onClose: () => void
}

/** The form for a new token. */
export function CreateToken({ onCreated, onClose }: CreateProps) {
  const search = route.useSearch()
  const preset = search.create === undefined || search.create === 'custom' ? undefined : search.create
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(preset ? presets[preset].scopes : [])
  const [days, setDays] = useState('90')
  const [place, setPlace] = useState(
    search.project ? `project ${search.project}` : search.organization ? `organization ${search.organization}` : '',
  )
  const create = useMutation(trpc.tokens.create.mutationOptions({ onSuccess: onCreated }))
  const submit = () => {
    const [kind, id] = place.split(' ')
    create.mutate({
      name,
      scopes: [...chosen],
      expiresInDays: Number(days),
      ...(kind === 'project' && id ? { projectId: id } : {}),
      ...(kind === 'organization' && id ? { organizationId: id } : {}),
    })
  }
  return (
    <Dialog title="Create token" onClose={onClose} wide isKept>
      <Form onSubmit={submit}>
        <TextField
          label="Name"
          hint="Where it will be used, such as “Claude Code on my laptop”."
          value={name}
          onChange={setName}
          required
          maxLength={100}
        />
        <div className="fields">
          <PlaceField place={place} onChange={setPlace} />
          <ChoiceField
            label="Expires after"
            hint="Afterwards it stops working. Create a new one in time."
            value={days}
            onChange={setDays}
            options={lifetimes}
          />
        </div>
        <ScopeFields chosen={chosen} onChange={setChosen} />
        <div className="row">
          <button type="submit" disabled={create.isPending || chosen.length === 0 || name.trim() === ''}>
            Create token
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

function PlaceField({ place, onChange }: { place: string; onChange: (place: string) => void }) {
  const projects = useQuery(trpc.projects.getProjects.queryOptions(undefined, { staleTime: 30_000 }))
  const organizations = useQuery(trpc.organizations.list.queryOptions(undefined, { staleTime: 30_000 }))
  const options = [
    ['', 'Nothing: all your projects and organizations'] as const,
    ...(organizations.data ?? []).map(({ id, name }) => [`organization ${id}`, `Organization: ${name}`] as const),
    ...(projects.data ?? []).map(({ id, name }) => [`project ${id}`, `Project: ${name}`] as const),
  ]
  return (
    <ChoiceField
      label="Restricted to"
      hint="A restricted token sees nothing else. Choose the smallest place that is enough."
      value={place}
      onChange={onChange}
      options={options}
    />
  )
}

interface ScopeProps {
  chosen: readonly Scope[]
  onChange: (scopes: readonly Scope[]) => void
}

function ScopeFields({ chosen, onChange }: ScopeProps) {
  const preset = presetOf(chosen)
  return (
    <>
      <fieldset className="checks columns">
        <legend>For</legend>
        {(Object.keys(presets) as Preset[]).map((name) => (
          <CheckField
            key={name}
            type="radio"
            name="preset"
            label={presets[name].text}
            hint={presets[name].hint}
            checked={preset === name}
            onChange={() => onChange(presets[name].scopes)}
          />
        ))}
        <CheckField
          type="radio"
          name="preset"
          label="Something else"
          hint="Choose the scopes below."
          checked={preset === undefined}
          onChange={() => onChange([])}
        />
      </fieldset>
      <fieldset className="checks columns scopes">
        <legend>Scopes</legend>
        {scopes.map((scope) => (
          <CheckField
            key={scope}
            label={<code>{scope}</code>}
            hint={scopeTexts[scope]}
            checked={chosen.includes(scope)}
            onChange={(isChecked) =>
              onChange(scopes.filter((each) => (each === scope ? isChecked : chosen.includes(each))))
            }
          />
        ))}
      </fieldset>
    </>
  )
}
