import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/loaded.tsx'

/** Asks for a repository and adds it as a project. */
export function AddProject({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [repository, setRepository] = useState('')
  const [name, setName] = useState('')
  const [branch, setBranch] = useState('')
  const [organizationId, setOrganizationId] = useState('')
  const organizations = useQuery(trpc.organizations.list.queryOptions())
  const link = useQuery(trpc.github.getLink.queryOptions())
  const repositories = useQuery(
    trpc.github.getGitHubRepositories.queryOptions(undefined, { enabled: Boolean(link.data?.linked), retry: false }),
  )
  const add = useMutation(
    trpc.projects.createProject.mutationOptions({
      meta: { isShown: true },
      onSuccess: async ({ id }) => {
        await queryClient.invalidateQueries(trpc.projects.overview.pathFilter())
        onClose()
        await navigate({ to: '/projects/$projectId', params: { projectId: id } })
      },
    }),
  )
  const suggested = nameOf(repository)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate({
      name: name.trim() || suggested,
      repository: repository.trim(),
      ...(branch.trim() === '' ? {} : { branch: branch.trim() }),
      ...(organizationId === '' ? {} : { organizationId }),
    })
  }
  return (
    <Dialog title="Add a project" onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          Repository
          <input
            required
            autoFocus
            list="own-repositories"
            value={repository}
            maxLength={2_048}
            onChange={(event) => setRepository(event.target.value)}
          />
          <span className="hint">
            An address such as https://github.com/owner/name, or the path of a checkout on the machine that runs Assay.
          </span>
        </label>
        <datalist id="own-repositories">
          {repositories.data?.map(({ id, cloneUrl, fullName }) => (
            <option key={id} value={cloneUrl}>
              {fullName}
            </option>
          ))}
        </datalist>
        <label>
          Name
          <input
            value={name}
            placeholder={suggested}
            maxLength={120}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label>
          Branch
          <input value={branch} maxLength={255} onChange={(event) => setBranch(event.target.value)} />
          <span className="hint">
            The branch whose health counts. Defaults to the default branch of the repository.
          </span>
        </label>
        {(organizations.data?.length ?? 0) > 0 ? (
          <label>
            Organization
            <select value={organizationId} onChange={(event) => setOrganizationId(event.target.value)}>
              <option value="">None, only for me</option>
              {organizations.data
                ?.filter(({ role }) => role !== 'viewer')
                .map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
            </select>
          </label>
        ) : undefined}
        {add.error ? <Problem error={add.error} /> : undefined}
        <div className="row">
          <button type="submit" disabled={add.isPending || repository.trim() === ''}>
            {add.isPending ? 'Adding' : 'Add the project'}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** The last part of an address or path, without `.git`. */
function nameOf(repository: string): string {
  const parts = repository
    .trim()
    .replace(/\.git$/, '')
    .split(/[/:\\]/)
  return parts.findLast((part) => part !== '') ?? ''
}
