import { useMutation, useQuery } from '@tanstack/react-query'
import type { TestPolicy, UpdateTestPolicy } from '../../../core/test-policy/schema.ts'
import { queryClient, trpc } from '../../api.ts'
import { CheckField, ChoiceField, Form, TextField } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { announce } from '../../shell/notices.ts'
import { allRules, defaultOf, type HealthRule, otherDefaults, ruleGroups, textsOf, valueOf } from './health-rules.ts'
import { PolicyPreview } from './policy-preview.tsx'
import { SaveBar } from './save-bar.tsx'
import { type TabProps, useDraft } from './use-draft.ts'

/** When tests count as flaky or broken, who grants quarantine, and how long results are kept. */
export function HealthTab(props: TabProps) {
  const policy = useQuery(trpc.tests.getPolicy.queryOptions({ projectId: props.project.id }))
  return <Loaded query={policy}>{(found) => <PolicyForm {...props} policy={found} />}</Loaded>
}

const formOf = ({ health, quarantine, retention }: TestPolicy) => ({
  ...textsOf(health),
  grantedBy: quarantine.grantedBy as string,
  days: String(quarantine.days),
  muteFlaky: quarantine.muteFlaky,
  resultDays: String(retention.resultDays),
  dailyDays: String(retention.dailyDays),
})

type PolicyForm = ReturnType<typeof formOf>

/** `allRules` has every rule of the schema: `health-rules.test.ts` compares them. */
const healthOf = (form: PolicyForm) =>
  Object.fromEntries(
    allRules.map((rule) => [rule.name, valueOf(rule, form[rule.name])]),
  ) as unknown as TestPolicy['health']

function PolicyForm({ project, isAdmin, isMember, policy }: TabProps & { policy: TestPolicy }) {
  const { id: projectId } = project
  const { form, set, isChanged, onlyChanged, reset } = useDraft(formOf(policy))
  const update = useMutation(
    trpc.tests.updatePolicy.mutationOptions({
      onSuccess: async (saved) => {
        queryClient.setQueryData(trpc.tests.getPolicy.queryKey({ projectId }), saved)
        announce('The rules were saved.')
        reset()
        await queryClient.invalidateQueries(trpc.tests.list.pathFilter())
      },
    }),
  )
  const health = onlyChanged(healthOf(form))
  const submit = () => update.mutate({ projectId, ...changeOf(form, onlyChanged) })
  const isUsual = ruleGroups.every(({ rules }) => rules.every((rule) => form[rule.name] === defaultOf(rule)))
  const useDefaults = () => {
    for (const rule of allRules) set(rule.name, defaultOf(rule))
  }
  return (
    <div className="plan-split">
      <Form onSubmit={submit} label="Test health">
        {ruleGroups.map(({ title, rules }) => (
          <fieldset key={title} className="fields">
            <legend>{title}</legend>
            {rules.map((rule) => (
              <RuleField
                key={rule.name}
                rule={rule}
                value={form[rule.name]}
                onChange={(text) => set(rule.name, text)}
              />
            ))}
          </fieldset>
        ))}
        <p>
          <button type="button" className="plain" disabled={isUsual} onClick={useDefaults}>
            Use the defaults
          </button>
        </p>
        {isAdmin ? undefined : (
          <p className="note-line tone-warn">Changing quarantine and retention requires the role admin.</p>
        )}
        <QuarantineFields form={form} set={set} mayChange={isAdmin} />
        <RetentionFields form={form} set={set} mayChange={isAdmin} />
        <SaveBar isChanged={isChanged} isSaving={update.isPending} mayChange={isMember} onReset={reset} />
      </Form>
      <PolicyPreview projectId={projectId} health={health} />
    </div>
  )
}

type OnlyChanged = <Change extends object>(change: Change) => Partial<Change>

/** The parts of the policy that the user has changed. */
function changeOf(form: PolicyForm, onlyChanged: OnlyChanged): Omit<UpdateTestPolicy, 'projectId'> {
  const { grantedBy, days, muteFlaky, resultDays, dailyDays } = form
  const parts = {
    health: onlyChanged(healthOf(form)),
    quarantine: onlyChanged({
      grantedBy: grantedBy as TestPolicy['quarantine']['grantedBy'],
      days: Number(days),
      muteFlaky,
    }),
    retention: onlyChanged({ resultDays: Number(resultDays), dailyDays: Number(dailyDays) }),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))
}

interface RuleProps {
  rule: HealthRule
  value: string
  onChange: (value: string) => void
}

function RuleField({ rule, value, onChange }: RuleProps) {
  const { label, hint, min, max, unit } = rule
  return (
    <TextField
      label={label}
      hint={
        <>
          {hint} <span className="nowrap">Default: {defaultOf(rule)}</span>
        </>
      }
      type="number"
      min={min}
      max={max}
      step={unit === undefined ? 1 : 'any'}
      required
      value={value}
      onChange={onChange}
    />
  )
}

interface PartProps {
  form: PolicyForm
  set: <Name extends keyof PolicyForm>(name: Name, value: PolicyForm[Name]) => void
  mayChange: boolean
}

const grantingRoles = [
  ['member', 'Members, admins and owners'],
  ['admin', 'Admins and owners'],
  ['owner', 'Owners'],
] as const

function QuarantineFields({ form, set, mayChange }: PartProps) {
  const { days } = otherDefaults.quarantine
  return (
    <fieldset className="fields" disabled={!mayChange}>
      <legend>Quarantine</legend>
      <ChoiceField
        label="Granted by"
        hint="Who grants requests and extends quarantines. Members may request and release. Default: Admins and owners"
        value={form.grantedBy}
        options={grantingRoles}
        onChange={(value) => set('grantedBy', value)}
      />
      <TextField
        label="Days"
        hint={`How long a quarantine lasts unless its request says otherwise; at most 90. Default: ${days}`}
        type="number"
        min={1}
        max={90}
        required
        value={form.days}
        onChange={(value) => set('days', value)}
      />
      <CheckField
        label="Mute flaky tests automatically"
        hint="Assay mutes a test when it becomes flaky, and never a broken one. Default: off"
        checked={form.muteFlaky}
        onChange={(isChecked) => set('muteFlaky', isChecked)}
      />
    </fieldset>
  )
}

function RetentionFields({ form, set, mayChange }: PartProps) {
  const { resultDays, dailyDays } = otherDefaults.retention
  return (
    <fieldset className="fields" disabled={!mayChange}>
      <legend>Retention</legend>
      <TextField
        label="Days of results"
        hint={`Results of single tests, with their errors, are deleted after this time. Runs and their counts stay. Default: ${resultDays}`}
        type="number"
        min={35}
        max={400}
        required
        value={form.resultDays}
        onChange={(value) => set('resultDays', value)}
      />
      <TextField
        label="Days of daily counts"
        hint={`Passes, failures and durations of each test and day. At least the days of results. Default: ${dailyDays}`}
        type="number"
        min={35}
        max={1_000}
        required
        value={form.dailyDays}
        onChange={(value) => set('dailyDays', value)}
      />
    </fieldset>
  )
}
