import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { Field, Form, TextField } from '../../parts/form.tsx'
import { isAtLeast } from '../../parts/roles.ts'
import { announce } from '../../shell/notices.ts'
import type { Organization } from './tabs.ts'

export function SettingsTab({ organization }: { organization: Organization }) {
  const isAdmin = isAtLeast(organization.role, 'admin')
  return (
    <div className="settings-list">
      {isAdmin ? undefined : (
        <p className="note-line tone-warn">Your role is {organization.role}. Changing this requires the role admin.</p>
      )}
      <Rename organization={organization} isAdmin={isAdmin} />
      <Delete organization={organization} />
    </div>
  )
}

function Rename({ organization, isAdmin }: { organization: Organization; isAdmin: boolean }) {
  const navigate = useNavigate()
  const [name, setName] = useState(organization.name)
  const [slug, setSlug] = useState(organization.slug)
  const [description, setDescription] = useState(organization.description ?? '')
  const update = useMutation(
    trpc.organizations.update.mutationOptions({
      onSuccess: async (changed) => {
        announce('The organization was saved.')
        if (changed.slug !== organization.slug) {
          await navigate({
            to: '/organizations/$slug',
            params: { slug: changed.slug },
            search: { tab: 'settings' },
            replace: true,
          })
        }
        await queryClient.invalidateQueries(trpc.organizations.pathFilter())
      },
    }),
  )
  const submit = () =>
    update.mutate({
      organizationId: organization.id,
      name,
      ...(slug === organization.slug ? {} : { slug }),
      description: description.trim() === '' ? null : description,
    })
  return (
    <Form onSubmit={submit} label="Organization settings">
      <TextField label="Name" value={name} onChange={setName} required maxLength={120} />
      <TextField
        label="Slug"
        hint="Its address. Links with the previous slug stop working, and the slug becomes free for others."
        value={slug}
        onChange={setSlug}
        required
        minLength={3}
        maxLength={40}
        spellCheck={false}
      />
      <Field label="Description">
        {(attributes) => (
          <textarea
            className="prose"
            {...attributes}
            rows={3}
            maxLength={2_000}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <div className="row">
        <button type="submit" disabled={!isAdmin || update.isPending}>
          Save
        </button>
      </div>
    </Form>
  )
}

function Delete({ organization }: { organization: Organization }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation(
    trpc.organizations.delete.mutationOptions({
      onSuccess: async () => {
        announce(`The organization ${organization.name} was deleted.`)
        await navigate({ to: '/organizations' })
        await queryClient.invalidateQueries()
      },
    }),
  )
  const isOwner = organization.role === 'owner'
  return (
    <div className="danger-zone">
      <h2>Delete this organization</h2>
      <p>
        Cancels the runs of all its projects and deletes the projects with everything that Assay stores about them, the
        webhooks, memberships, invitations, and the tokens that are restricted to it. It does not end a subscription at
        the payment provider. This cannot be undone.
      </p>
      <p className="row">
        <button type="button" className="danger" disabled={!isOwner} onClick={() => setAsking(true)}>
          Delete organization
        </button>
        {isOwner ? undefined : <span className="hint">Requires the role owner.</span>}
      </p>
      {isAsking ? (
        <ConfirmByName
          title="Delete organization"
          name={organization.name}
          action="Delete organization"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ organizationId: organization.id })}
          onClose={() => setAsking(false)}
        >
          <p>Its projects and everything that Assay stores about them will be lost.</p>
        </ConfirmByName>
      ) : undefined}
    </div>
  )
}
