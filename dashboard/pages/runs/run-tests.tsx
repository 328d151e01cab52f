import { lazy, Suspense, useState } from 'react'
import { isAtLeast, useProjectRole } from '../../parts/roles.ts'
import '../../styles/runs.css'
import { whenReachable } from '../../when-reachable.ts'

const TriggerDialog = lazy(
  whenReachable(async () => ({ default: (await import('./trigger-dialog.tsx')).TriggerDialog })),
)

/** Opens the dialog that starts a run of a branch. Viewers, who may not start runs, see nothing. */
export function RunTests({ projectId, branch }: { projectId: string; branch: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!isAtLeast(useProjectRole(projectId), 'member')) return undefined
  return (
    <>
      <p>
        <button type="button" onClick={() => setOpen(true)}>
          Run tests
        </button>
      </p>
      {isOpen ? (
        <Suspense>
          <TriggerDialog projectId={projectId} initial={{ target: branch }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : undefined}
    </>
  )
}
