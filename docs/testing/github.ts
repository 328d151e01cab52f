import { parse } from 'yaml'
import { z } from 'zod'
import type { Step } from './steps.ts'

/** What expressions can name, such as `github`, `vars` and `inputs`. */
export type Contexts = Record<string, unknown>

const Words = z.record(z.string(), z.coerce.string())
const common = { id: z.string().optional(), name: z.string().optional(), if: z.string().optional() }
const RunStep = z.strictObject({
  ...common,
  run: z.string(),
  shell: z.literal('bash').optional(),
  env: Words.default({}),
})
const UsesStep = z.strictObject({ ...common, uses: z.string(), with: Words.default({}) })

const Workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({ push: z.object({ branches: z.array(z.string()) }), pull_request: z.null() }),
  permissions: z.strictObject({ contents: z.literal('read') }),
  env: Words.default({}),
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.string(),
      needs: z.string().optional(),
      if: z.string().optional(),
      strategy: z
        .strictObject({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.number())) })
        .optional(),
      steps: z.array(z.union([RunStep, UsesStep])),
    }),
  ),
})

/** The metadata of a composite action, as GitHub documents it. */
const Action = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(
    z.string().regex(/^[a-z][a-z-]*$/),
    z.strictObject({ description: z.string(), required: z.boolean().optional(), default: z.string().optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    // GitHub requires the shell here.
    steps: z.array(RunStep.required({ shell: true })).min(1),
  }),
})
export type Action = z.infer<typeof Action>

export const readAction = (yaml: string): Action => Action.parse(parse(yaml))
export const readWorkflow = (yaml: string) => Workflow.parse(parse(yaml))

/** Returns the shell steps of a job. Steps that use the composite action are replaced by its steps. */
export function stepsOfJob(yaml: string, name: string, contexts: Contexts, action?: Action): Step[] {
  const workflow = readWorkflow(yaml)
  const job = workflow.jobs[name]
  if (!job) throw new Error(`there is no job ${name}`)
  if (job.if !== undefined && !isTrue(job.if, contexts)) return []
  return job.steps.flatMap((step): Step[] => {
    if (step.if !== undefined && !isTrue(step.if, contexts)) return []
    const always = step.if !== undefined && /\b(always|cancelled)\(\)/.test(step.if)
    if ('run' in step) {
      const env = { ...workflow.env, ...step.env }
      return [{ id: step.id, shell: shellOf(step.shell), script: step.run, env: filled(env, contexts), always }]
    }
    if (/^actions\/(checkout|setup-node)@v\d+$/.test(step.uses)) return []
    if (!action) throw new Error(`${step.uses} is not known here`)
    return stepsOfAction(action, filled(step.with, contexts)).map((one) => ({ ...one, always }))
  })
}

/** Returns the steps of a composite action. GitHub tells no step that an input is missing. */
export function stepsOfAction(action: Action, given: Record<string, string>): Step[] {
  for (const name of Object.keys(given)) if (!(name in action.inputs)) throw new Error(`there is no input ${name}`)
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default ?? '']),
  )
  return action.runs.steps
    .filter((step) => step.if === undefined || isTrue(step.if, { inputs }))
    .map(({ id, run, shell, env }) => ({ id, shell: shellOf(shell), script: run, env: filled(env, { inputs }) }))
}

/** The shells that GitHub starts on Linux and macOS. */
const shellOf = (shell: 'bash' | undefined) =>
  shell === 'bash' ? ['bash', '--noprofile', '--norc', '-eo', 'pipefail'] : ['bash', '-e']

const filled = (texts: Record<string, string>, contexts: Contexts) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, contexts)]))

/** Replaces expressions by their values. */
const fill = (text: string, contexts: Contexts) =>
  text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => textOf(evaluate(expression, contexts)))

const isTrue = (condition: string, contexts: Contexts) =>
  Boolean(evaluate(/^\$\{\{(.*)\}\}$/s.exec(condition.trim())?.[1] ?? condition, contexts))

/** Evaluates the part of GitHub's expressions that the recipes use. */
function evaluate(expression: string, contexts: Contexts): unknown {
  const alternatives = expression.split('||')
  if (alternatives.length > 1) return alternatives.some((one) => evaluate(one, contexts))
  const terms = expression.split('&&')
  if (terms.length > 1) return terms.every((one) => evaluate(one, contexts))
  const term = expression.trim()
  const [, left, operator, right] = /^(.+?) ([!=]=) (.+)$/.exec(term) ?? []
  if (left !== undefined && right !== undefined) {
    const isEqual = textOf(evaluate(left, contexts)) === textOf(evaluate(right, contexts))
    return operator === '==' ? isEqual : !isEqual
  }
  if (term.startsWith('!')) return !evaluate(term.slice(1), contexts)
  if (term === 'cancelled()') return false
  const literal = /^'([^']*)'$/.exec(term)
  if (literal) return literal[1]
  if (!/^[a-z]+(\.[\w-]+)+$/i.test(term)) throw new Error(`this expression is not known here: ${term}`)
  const [context = '', ...names] = term.split('.')
  if (!(context in contexts)) throw new Error(`there is no context ${context}`)
  return names.reduce<unknown>((value, name) => (value as Contexts | undefined)?.[name], contexts[context])
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
