import type { ProjectSettingsChange } from '../../../core/projects/schema.ts'
import { CheckField, Field, Form, TextField } from '../../parts/form.tsx'
import { PlanPreview } from './plan.tsx'
import { SaveBar } from './save-bar.tsx'
import { linesOf, orNull, patternsIn } from './text-values.ts'
import { type Settings, type TabProps, useDraft, useSaveSettings } from './use-draft.ts'

const formOf = (settings: Settings) => ({
  installCommand: settings.installCommand ?? '',
  testCommand: settings.testCommand ?? '',
  workingDirectory: settings.workingDirectory ?? '',
  reportGlobs: linesOf(settings.reportGlobs),
  coverageGlobs: linesOf(settings.coverageGlobs),
  timeoutSeconds: String(settings.timeoutSeconds),
  coverageThreshold: settings.coverageThreshold === null ? '' : String(settings.coverageThreshold),
  testNetwork: settings.testNetwork,
})

/** The settings that decide which commands a run consists of. */
const changeOf = (form: ReturnType<typeof formOf>): ProjectSettingsChange => ({
  installCommand: orNull(form.installCommand),
  testCommand: orNull(form.testCommand),
  workingDirectory: orNull(form.workingDirectory),
  reportGlobs: patternsIn(form.reportGlobs),
  coverageGlobs: patternsIn(form.coverageGlobs),
})

/** How tests are installed and run, with the plan that the settings result in. */
export function TestsTab({ project, settings, isAdmin, isMember }: TabProps) {
  const { form, set, isChanged, onlyChanged, reset } = useDraft(formOf(settings))
  const { save, isSaving } = useSaveSettings(project.id, reset)
  const submit = () =>
    save(
      onlyChanged({
        ...changeOf(form),
        timeoutSeconds: Number(form.timeoutSeconds),
        coverageThreshold: form.coverageThreshold === '' ? null : Number(form.coverageThreshold),
        testNetwork: form.testNetwork,
      }),
    )
  return (
    <div className="plan-split">
      <Form onSubmit={submit} label="Test settings">
        <TextField
          label="Install command"
          hint={
            <>
              Empty: detected from manifests and lockfiles. <code>true</code> installs nothing.
            </>
          }
          placeholder="detected"
          value={form.installCommand}
          onChange={(value) => set('installCommand', value)}
          maxLength={2_000}
          spellCheck={false}
        />
        <TextField
          label="Test command"
          hint={
            <>
              Empty: detected. Assay adds the options that write reports to a plain command of a known runner; a shell
              runs any other command unchanged. <code>{'{output}'}</code> is an empty folder for reports.
            </>
          }
          placeholder="detected"
          value={form.testCommand}
          onChange={(value) => set('testCommand', value)}
          maxLength={2_000}
          spellCheck={false}
        />
        <TextField
          label="Working directory"
          hint="The folder that Assay reads and in which the commands run. Empty: the whole repository."
          placeholder="the repository"
          value={form.workingDirectory}
          onChange={(value) => set('workingDirectory', value)}
          maxLength={1_000}
          spellCheck={false}
        />
        <div className="fields">
          <PatternsField
            label="Reports"
            hint="More places of test reports below the working directory, one pattern on a line."
            placeholder="out/**/junit*.xml"
            value={form.reportGlobs}
            onChange={(value) => set('reportGlobs', value)}
          />
          <PatternsField
            label="Coverage"
            hint="More places of coverage files, one pattern on a line."
            placeholder="out/**/lcov.info"
            value={form.coverageGlobs}
            onChange={(value) => set('coverageGlobs', value)}
          />
        </div>
        <div className="fields">
          <TextField
            label="Time limit of the tests, in seconds"
            hint="For all tests of a run; at most one day."
            type="number"
            min={1}
            max={86_400}
            required
            value={form.timeoutSeconds}
            onChange={(value) => set('timeoutSeconds', value)}
          />
          <TextField
            label="Least coverage, in percent of lines"
            hint="A run below it gets a warning, and its commit status is a failure. Empty: no limit."
            type="number"
            min={0}
            max={100}
            step="any"
            value={form.coverageThreshold}
            onChange={(value) => set('coverageThreshold', value)}
          />
        </div>
        <CheckField
          label="Tests may use the network"
          hint="Installing dependencies always may. Without it, tests reach only themselves."
          checked={form.testNetwork}
          onChange={(isChecked) => set('testNetwork', isChecked)}
        />
        <SaveBar isChanged={isChanged} isSaving={isSaving} mayChange={isAdmin} onReset={reset} />
      </Form>
      <PlanPreview projectId={project.id} settings={changeOf(form)} mayPlan={isMember} />
    </div>
  )
}

interface PatternsProps {
  label: string
  hint: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

export function PatternsField({ label, hint, placeholder, value, onChange }: PatternsProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={3}
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
