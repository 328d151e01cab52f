import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField } from '../../parts/form.tsx'
import { announce } from '../../shell/notices.ts'

export function CreateOrganization({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [typedSlug, setTypedSlug] = useState<string>()
  const [description, setDescription] = useState('')
  const slug = typedSlug ?? slugFor(name)
  const create = useMutation(
    trpc.organizations.create.mutationOptions({
      onSuccess: async (organization) => {
        announce(`The organization ${organization.name} was created.`)
        await queryClient.invalidateQueries(trpc.organizations.pathFilter())
        await navigate({ to: '/organizations/$slug', params: { slug: organization.slug }, search: { tab: 'members' } })
      },
    }),
  )
  const submit = () => create.mutate({ name, slug, ...(description.trim() === '' ? {} : { description }) })
  return (
    <Dialog title="Create organization" onClose={onClose} isKept>
      <Form onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} required maxLength={120} />
        <TextField
          label="Slug"
          hint="Its address: 3 to 40 lowercase letters, digits and single hyphens."
          value={slug}
          onChange={setTypedSlug}
          required
          minLength={3}
          maxLength={40}
          spellCheck={false}
        />
        <TextField label="Description" value={description} onChange={setDescription} maxLength={2_000} />
        <div className="row">
          <button type="submit" disabled={create.isPending}>
            Create organization
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Proposes a slug: the letters and digits of a name, joined by hyphens. */
function slugFor(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, 40).replace(/-$/, '')
}
