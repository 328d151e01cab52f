import type { GatePolicy, GatePolicyChange } from '../../../core/gate-policy/schema.ts'
import { linesOf, orNull, patternsIn } from './text-values.ts'

type Rules = GatePolicy['rules']
type Component = GatePolicy['components'][number]
export type PathPrefix = GatePolicy['pathPrefixes'][number]

/** A component as its fields show it. */
export interface ComponentForm {
  name: string
  paths: string
  upload: string
  patchTarget: string
  maxUncovered: string
}

const numberText = (value: number | null) => (value === null ? '' : String(value))
const numberOrNull = (text: string) => (text.trim() === '' ? null : Number(text))

/** A number, `auto`, or empty for no rule. */
export const targetPattern = String.raw`\s*(?:auto|\d{1,3}(?:\.\d+)?)\s*`
const target = new RegExp(`^(?:${targetPattern})$`, 'v')
const isTarget = (text: string) => text === '' || target.test(text)

const targetText = (target: Rules['patchTarget']) => (target === null ? '' : String(target))
const targetOf = (text: string): Rules['patchTarget'] => (text.trim() === 'auto' ? 'auto' : numberOrNull(text))

const componentForm = ({ name, paths, upload, patchTarget, maxUncovered }: Component): ComponentForm => ({
  name,
  paths: linesOf(paths),
  upload: upload ?? '',
  patchTarget: targetText(patchTarget),
  maxUncovered: numberText(maxUncovered),
})

const componentOf = ({ name, paths, upload, patchTarget, maxUncovered }: ComponentForm): Component => ({
  name: name.trim(),
  paths: patternsIn(paths),
  upload: orNull(upload),
  patchTarget: targetOf(patchTarget),
  maxUncovered: numberOrNull(maxUncovered),
})

/** The policy as its form shows it. Lists are JSON, so that two forms compare by their contents. */
export const formOf = ({ mode, rules, components, uploads, ignore, pathPrefixes, ...rest }: GatePolicy) => ({
  mode,
  ...rules,
  patchTarget: targetText(rules.patchTarget),
  tolerance: String(rules.tolerance),
  maxUncovered: numberText(rules.maxUncovered),
  projectTarget: targetText(rules.projectTarget),
  projectTolerance: String(rules.projectTolerance),
  killedMutants: numberText(rules.killedMutants),
  components: JSON.stringify(components.map(componentForm)),
  uploadNames: linesOf(uploads.names),
  uploadCount: numberText(uploads.count),
  untilDone: uploads.untilDone,
  ignore: linesOf(ignore),
  pathPrefixes: JSON.stringify(pathPrefixes),
  deadlineMinutes: String(rest.deadlineMinutes),
  comment: rest.comment,
})

export type GateForm = ReturnType<typeof formOf>

/** Written only by `formOf` and by the editors of the lists. */
export const componentsIn = (form: GateForm) => JSON.parse(form.components) as ComponentForm[]
export const prefixesIn = (form: GateForm) => JSON.parse(form.pathPrefixes) as PathPrefix[]

/** Whether every goal is a number, `auto` or empty. A browser checks its fields only when the form is sent. */
export const hasValidTargets = (form: GateForm): boolean =>
  [form.patchTarget, form.projectTarget, ...componentsIn(form).map(({ patchTarget }) => patchTarget)].every(isTarget)

/** Returns the parts of the policy that the user has changed. A list is replaced as a whole. */
export function changeOf(form: GateForm, saved: GateForm): GatePolicyChange {
  const isChanged = (name: keyof GateForm) => form[name] !== saved[name]
  const only = <Part extends object>(part: Part, nameInForm: (name: string) => keyof GateForm): Partial<Part> =>
    Object.fromEntries(Object.entries(part).filter(([name]) => isChanged(nameInForm(name)))) as Partial<Part>
  const rules = only(rulesOf(form), (name) => name as keyof Rules)
  const uploads = only(uploadsOf(form), (name) => uploadFields[name as keyof GatePolicy['uploads']])
  const others = {
    mode: form.mode,
    components: componentsIn(form).map(componentOf),
    ignore: patternsIn(form.ignore),
    pathPrefixes: prefixesIn(form),
    deadlineMinutes: Number(form.deadlineMinutes),
    comment: form.comment,
  }
  return {
    ...only(others, (name) => name as keyof typeof others),
    ...(Object.keys(rules).length > 0 && { rules }),
    ...(Object.keys(uploads).length > 0 && { uploads }),
  }
}

const rulesOf = (form: GateForm): Rules => ({
  patchTarget: targetOf(form.patchTarget),
  tolerance: Number(form.tolerance),
  maxUncovered: numberOrNull(form.maxUncovered),
  partialIsUncovered: form.partialIsUncovered,
  requireMeasured: form.requireMeasured,
  projectTarget: targetOf(form.projectTarget),
  projectTolerance: Number(form.projectTolerance),
  noNewFailures: form.noNewFailures,
  noNewFlaky: form.noNewFlaky,
  killedMutants: numberOrNull(form.killedMutants),
  requireProof: form.requireProof,
})

const uploadFields = {
  names: 'uploadNames',
  count: 'uploadCount',
  untilDone: 'untilDone',
} as const satisfies Record<keyof GatePolicy['uploads'], keyof GateForm>

const uploadsOf = (form: GateForm): GatePolicy['uploads'] => ({
  names: patternsIn(form.uploadNames),
  count: numberOrNull(form.uploadCount),
  untilDone: form.untilDone,
})
