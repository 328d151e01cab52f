import type { GatePolicy } from '../../../core/gate-policy/schema.ts'
import { defaultGatePolicy } from '../../../engines/gate/policy.ts'
import { CheckField, ChoiceField, TextField } from '../../parts/form.tsx'
import { formOf, type GateForm, targetPattern } from './gate-form.ts'
import { PatternsField } from './tests.tsx'

export interface FieldsProps {
  form: GateForm
  set: <Name extends keyof GateForm>(name: Name, value: GateForm[Name]) => void
}

const usual = formOf(defaultGatePolicy)

type NamesOf<Value> = { [Name in keyof GateForm]: GateForm[Name] extends Value ? Name : never }[keyof GateForm]

/** The hint of a field, with its default. */
function hintOf({ name, hint }: { name: NamesOf<string | boolean>; hint: string }) {
  const value = usual[name]
  const text = typeof value === 'boolean' ? (value ? 'on' : 'off') : value || 'empty'
  return (
    <>
      {hint} <span className="nowrap">Default: {text}</span>
    </>
  )
}

interface FieldProps<Value> extends FieldsProps {
  name: NamesOf<Value>
  label: string
  hint: string
}

/** A goal in percent. */
function TargetField({ form, set, name, label, hint }: FieldProps<string>) {
  return (
    <TextField
      label={label}
      hint={hintOf({ name, hint })}
      value={form[name]}
      onChange={(value) => set(name, value)}
      pattern={targetPattern}
      title="A number from 0 to 100, auto, or empty"
      maxLength={20}
      spellCheck={false}
    />
  )
}

interface NumberProps extends FieldProps<string> {
  min: number
  max: number
  step?: 'any'
  required?: boolean
}

function NumberField({ form, set, name, label, hint, ...input }: NumberProps) {
  return (
    <TextField
      label={label}
      hint={hintOf({ name, hint })}
      type="number"
      {...input}
      value={form[name]}
      onChange={(value) => set(name, value)}
    />
  )
}

function RuleCheck({ form, set, name, label, hint }: FieldProps<boolean>) {
  return (
    <CheckField
      label={label}
      hint={hintOf({ name, hint })}
      checked={form[name]}
      onChange={(isChecked) => set(name, isChecked)}
    />
  )
}

const modes = [
  ['off', 'Off: judges only when asked'],
  ['informational', 'Informational: never blocks'],
  ['enforced', 'Enforced: blocks changes that fail'],
] as const

export function ModeField({ form, set, isAdmin }: FieldsProps & { isAdmin: boolean }) {
  return (
    <ChoiceField
      label="Mode"
      hint="Only admins and owners switch it. For a required check of the code host, enforce it. Default: informational"
      value={form.mode}
      options={modes}
      disabled={!isAdmin}
      onChange={(value) => set('mode', value as GatePolicy['mode'])}
    />
  )
}

export function RuleFields(props: FieldsProps) {
  return (
    <>
      <fieldset className="fields">
        <legend>Changed lines</legend>
        <TargetField
          {...props}
          name="patchTarget"
          label="Covered changed lines, in percent"
          hint="auto: as much as the whole project on the base. Empty: no rule."
        />
        <NumberField
          {...props}
          name="tolerance"
          label="Tolerance, in points"
          hint="By how much the goal may be missed."
          min={0}
          max={100}
          step="any"
          required
        />
        <NumberField
          {...props}
          name="maxUncovered"
          label="Most uncovered lines"
          hint="The number of changed lines that no test may run. Empty: no rule."
          min={0}
          max={1_000_000}
        />
      </fieldset>
      <div className="checks">
        <RuleCheck
          {...props}
          name="partialIsUncovered"
          label="Lines with a missing branch count as uncovered"
          hint="If the reports contain branches."
        />
        <RuleCheck
          {...props}
          name="requireMeasured"
          label="All changed code must be measured"
          hint="Code that no report names fails the gate."
        />
      </div>
      <fieldset className="checks">
        <legend>Tests</legend>
        <RuleCheck
          {...props}
          name="noNewFailures"
          label="No test fails because of the change"
          hint="Muted tests and those that failed before do not count."
        />
        <RuleCheck
          {...props}
          name="noNewFlaky"
          label="No test becomes flaky"
          hint="A test that failed and passed on the commit, and was not flaky before."
        />
        <RuleCheck
          {...props}
          name="requireProof"
          label="The change must be proved"
          hint="A test fails without the change, by the verification of the change."
        />
      </fieldset>
      <fieldset className="fields">
        <legend>Small changes and project</legend>
        <NumberField
          {...props}
          name="killedMutants"
          label="Small changes that tests notice, in percent"
          hint="Of the changed lines, by the verification of the change. Empty: no rule."
          min={0}
          max={100}
          step="any"
        />
        <TargetField
          {...props}
          name="projectTarget"
          label="Coverage of the project, in percent"
          hint="auto: as much as on the base; removed code does not count. Empty: no rule."
        />
        <NumberField
          {...props}
          name="projectTolerance"
          label="Tolerance for the project, in points"
          hint="By how much the coverage of the project may be lower."
          min={0}
          max={100}
          step="any"
          required
        />
      </fieldset>
    </>
  )
}

export function UploadFields(props: FieldsProps) {
  const { form, set } = props
  return (
    <>
      <fieldset className="fields">
        <legend>Expected uploads</legend>
        <PatternsField
          label="Names of uploads"
          hint="One on a line. Coverage is judged once all have arrived."
          placeholder={'unit\nend to end'}
          value={form.uploadNames}
          onChange={(value) => set('uploadNames', value)}
        />
        <NumberField
          {...props}
          name="uploadCount"
          label="Number of uploads"
          hint="Empty: any number."
          min={1}
          max={1_000}
        />
        <NumberField
          {...props}
          name="deadlineMinutes"
          label="Deadline, in minutes"
          hint="A gate that still waits after this time has the state error."
          min={1}
          max={1_440}
          required
        />
      </fieldset>
      <div className="checks">
        <RuleCheck
          {...props}
          name="untilDone"
          label="Wait until CI says that no more uploads come"
          hint="With assay upload --done, which also ends the wait for missing uploads."
        />
        <RuleCheck
          {...props}
          name="comment"
          label="Comment on pull requests"
          hint="One comment, edited in place, where something is uncovered, new, flaky or red."
        />
      </div>
    </>
  )
}
