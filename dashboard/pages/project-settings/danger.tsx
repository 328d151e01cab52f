import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, trpc } from '../../api.ts'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { announce } from '../../shell/notices.ts'
import type { TabProps } from './use-draft.ts'

export function DangerTab({ project, isAdmin }: TabProps) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const remove = useMutation(
    trpc.projects.deleteProject.mutationOptions({
      onSuccess: async () => {
        announce(`The project ${project.name} was deleted.`)
        await navigate({ to: '/' })
        await queryClient.invalidateQueries(trpc.projects.pathFilter())
      },
    }),
  )
  return (
    <div className="danger-zone">
      <h2>Delete this project</h2>
      <p>
        Cancels its runs and deletes everything that Assay stores about it: runs, results, logs, coverage, analyses,
        suggestions, generated tests, verifications, webhooks and the tokens that are restricted to it. The repository
        stays as it is. This cannot be undone.
      </p>
      <p>
        <button type="button" className="danger" disabled={!isAdmin} onClick={() => setAsking(true)}>
          Delete project
        </button>
      </p>
      {isAsking ? (
        <ConfirmByName
          title="Delete project"
          name={project.name}
          action="Delete project"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ projectId: project.id })}
          onClose={() => setAsking(false)}
        >
          <p>Everything that Assay stores about the project will be lost.</p>
        </ConfirmByName>
      ) : undefined}
    </div>
  )
}
