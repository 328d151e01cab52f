import { stripTypeScriptTypes } from 'node:module'
import { createContext, Script } from 'node:vm'
import { applyMutant } from '../mutant.ts'
import { mutantsOf } from '../mutants-of.ts'
import type { NumberedMutant, SwitchedSource } from '../switched-source.ts'
import { everyLine } from '../testing.ts'
import { switchJavaScript } from './switch.ts'

interface Choice {
  active?: number
  reach?: ((probe: number) => void) | null
  check?: () => void
  run?: () => void
}

const ignore = () => undefined

/** Returns what the function `result` of a source returns, as JSON, or how it fails. */
export function evaluate(
  source: string,
  { active = 0, reach = null, check = ignore, run = ignore }: Choice = {},
): string {
  const said = { text: 'nothing' }
  const context = createContext(
    { said, __assayMutants__: { active, reach, check, run } },
    // The time counts for promises, too.
    { microtaskMode: 'afterEvaluate' },
  )
  const asked = `const value = await result(); said.text = JSON.stringify(value)`
  const failed = `(error) => { said.text = 'failed: ' + error }`
  try {
    new Script(`${source}\n;(async () => { ${asked} })().catch(${failed})`).runInContext(context, { timeout: 1_000 })
  } catch (error) {
    return `failed: ${String(error)}`
  }
  return said.text
}

/** Removes the types of a source as Node does. */
export const withoutTypes = (source: string) => stripTypeScriptTypes(source.replace(/^#!.*/, ''))

export async function switched(
  source: string,
  dialect: 'js' | 'ts' = 'js',
  maxWhole?: number,
): Promise<SwitchedSource & { mutants: NumberedMutant[] }> {
  const found = await mutantsOf(`a.${dialect}`, source, everyLine)
  const mutants = found.map((mutant, index) => ({ id: index + 1, mutant }))
  return { mutants, ...switchJavaScript(source, dialect, mutants, new Set(), maxWhole) }
}

/** Returns each mutant with which the switched source does something else than a source with only this mutant. */
export async function differences(source: string, dialect: 'js' | 'ts', maxWhole?: number) {
  const { mutants, probes, left, source: all } = await switched(source, dialect, maxWhole)
  const runnable = (text: string) => (dialect === 'ts' ? withoutTypes(text) : text)
  const program = runnable(all)
  const found: string[][] = []
  const compare = (said: string, active: number, own: string) => {
    const [is, should] = [evaluate(program, { active }), evaluate(runnable(own))]
    if (is !== should) found.push([said, is, should])
  }
  compare('no mutant', 0, source)
  for (const { id, mutant } of mutants.filter((one) => probes.has(one.id))) {
    compare(`${mutant.line}: ${mutant.original} -> ${mutant.replacement}`, id, applyMutant(source, mutant))
  }
  return { found, count: mutants.length, left, missing: mutants.filter(({ id }) => !probes.has(id)) }
}
