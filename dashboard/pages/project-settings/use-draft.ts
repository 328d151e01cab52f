import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { type Outputs, queryClient, trpc } from '../../api.ts'
import { announce } from '../../shell/notices.ts'

export type Project = Outputs['projects']['getProject']
export type Settings = Outputs['projects']['getProjectSettings']

export interface TabProps {
  project: Project
  settings: Settings
  isAdmin: boolean
  isMember: boolean
}

/** What the user has changed in a form. What others save meanwhile appears in the fields that the user has not changed. */
export function useDraft<Form extends object>(saved: Form) {
  const [changes, setChanges] = useState<Partial<Form>>({})
  const form: Form = { ...saved, ...changes }
  const names = Object.keys(saved) as (keyof Form)[]
  const changed = new Set<PropertyKey>(names.filter((name) => form[name] !== saved[name]))
  return {
    form,
    isChanged: changed.size > 0,
    /** Leaves out the fields that the user has not changed, so that a save does not undo what others save. */
    onlyChanged: <Change extends object>(change: Change) =>
      Object.fromEntries(Object.entries(change).filter(([name]) => changed.has(name))) as Partial<Change>,
    set: <Name extends keyof Form>(name: Name, value: Form[Name]) =>
      setChanges((before) => ({ ...before, [name]: value })),
    reset: () => setChanges({}),
  }
}

/** Saves settings of a project, and says so. */
export function useSaveSettings(projectId: string, onSaved: () => void) {
  const save = useMutation(
    trpc.projects.updateProjectSettings.mutationOptions({
      onSuccess: (settings) => {
        queryClient.setQueryData(trpc.projects.getProjectSettings.queryKey({ projectId }), settings)
        announce('The settings were saved.')
        onSaved()
      },
    }),
  )
  return {
    isSaving: save.isPending,
    save: (settings: ProjectSettingsChange) => save.mutate({ projectId, settings }),
  }
}
