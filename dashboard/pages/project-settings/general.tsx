import { useMutation } from '@tanstack/react-query'
import { queryClient, trpc } from '../../api.ts'
import { Field, Form, TextField } from '../../parts/form.tsx'
import { announce } from '../../shell/notices.ts'
import { SaveBar } from './save-bar.tsx'
import { orNull } from './text-values.ts'
import { type TabProps, useDraft } from './use-draft.ts'

/** The name of the project and where its code is. */
export function GeneralTab({ project, settings, isMember, isAdmin }: TabProps) {
  const { form, set, isChanged, onlyChanged, reset } = useDraft({
    name: project.name,
    description: project.description ?? '',
    repository: project.repository,
    branch: project.branch,
    language: project.language ?? '',
    framework: project.framework ?? '',
  })
  const update = useMutation(
    trpc.projects.updateProject.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries(trpc.projects.pathFilter())
        announce('The project was saved.')
        reset()
      },
    }),
  )
  const mayMove = isAdmin || settings.environment.length === 0
  const submit = () =>
    update.mutate({
      projectId: project.id,
      ...onlyChanged({
        name: form.name,
        description: orNull(form.description),
        repository: form.repository,
        branch: form.branch,
        language: orNull(form.language),
        framework: orNull(form.framework),
      }),
    })
  return (
    <Form onSubmit={submit} label="General settings">
      <TextField label="Name" value={form.name} onChange={(value) => set('name', value)} required maxLength={120} />
      <Field label="Description" hint="What the code is for. Agents see it when they list projects.">
        {(attributes) => (
          <textarea
            className="prose"
            {...attributes}
            rows={3}
            maxLength={2_000}
            value={form.description}
            onChange={(event) => set('description', event.target.value)}
          />
        )}
      </Field>
      <TextField
        label="Repository"
        hint={
          mayMove
            ? 'The address that git clones, https or ssh. Assay reads a private repository with your linked account, because you change it.'
            : 'The project has secret environment variables, so only admins can change the repository.'
        }
        value={form.repository}
        onChange={(value) => set('repository', value)}
        required
        maxLength={2_048}
        spellCheck={false}
        disabled={!mayMove}
      />
      <TextField
        label="Default branch"
        hint="Its runs decide whether the project is healthy, and other branches are compared with it."
        value={form.branch}
        onChange={(value) => set('branch', value)}
        required
        maxLength={255}
        spellCheck={false}
      />
      <div className="fields">
        <TextField
          label="Language"
          hint="Empty: the next analysis sets it."
          value={form.language}
          onChange={(value) => set('language', value)}
          maxLength={100}
        />
        <TextField
          label="Test framework"
          hint="Empty: the next analysis sets it."
          value={form.framework}
          onChange={(value) => set('framework', value)}
          maxLength={100}
        />
      </div>
      <SaveBar isChanged={isChanged} isSaving={update.isPending} mayChange={isMember} onReset={reset} />
    </Form>
  )
}
