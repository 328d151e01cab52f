import { hash } from 'node:crypto'
import type { Mutant } from '../mutation/mutant.ts'
import { markerOfFile, type NumberedMutant, type SwitchedSource } from '../mutation/switched-source.ts'

/** A file with mutants in the parts that tests can reach separately. */
export interface CodeParts {
  /** A digest of the code outside of all functions with mutants, which runs when the file is loaded. */
  rest: string
  /** The outermost functions and expressions with mutants, by place. Their keys are digests of their code. */
  units: readonly { key: string; start: number; end: number }[]
  /** What the file reports when it is loaded. */
  marker: number
  /** The unit that each number reported by the running program is in. Null for code that is in none. */
  unitOf: ReadonlyMap<number, string | null>
}

export function codePartsOf(
  source: string,
  mutants: readonly NumberedMutant[],
  { hosts, probes }: Pick<SwitchedSource, 'hosts' | 'probes'>,
): CodeParts {
  const sorted = hosts.toSorted((a, b) => a.start - b.start || b.end - a.end)
  const keyOf = uniqueKeys()
  const units: { key: string; start: number; end: number }[] = []
  let rest = ''
  let from = 0
  for (const { start, end } of sorted) {
    if (start < from) continue
    units.push({ key: keyOf(source.slice(start, end)), start, end })
    rest += `${source.slice(from, start)}\0`
    from = end
  }
  const unitAt = (offset: number) => units.find(({ start, end }) => start <= offset && offset <= end)?.key ?? null
  const unitOf = new Map<number, string | null>()
  for (const { id, mutant } of mutants) {
    const probe = probes.get(id)
    if (probe !== undefined) unitOf.set(probe, unitAt(mutant.start))
  }
  for (const { marker, start } of hosts) unitOf.set(marker, unitAt(start))
  return { rest: digestOf(rest + source.slice(from)), units, marker: markerOfFile(mutants), unitOf }
}

/** Names a mutant by the code that it changes, so that the name stays while other code is edited. */
function mutantKey({ rest, units }: CodeParts, { start, end, replacement }: Mutant): string {
  const unit = units.find((one) => one.start <= start && end <= one.end)
  const from = unit?.start ?? 0
  return digestOf(JSON.stringify([unit?.key ?? rest, start - from, end - from, replacement]))
}

/** Returns the name of each mutant, by id. */
export function mutantKeys(
  mutants: readonly NumberedMutant[],
  code: ReadonlyMap<string, CodeParts>,
): ReadonlyMap<number, string> {
  const keys = new Map<number, string>()
  for (const { id, mutant } of mutants) {
    const parts = code.get(mutant.path)
    if (parts) keys.set(id, mutantKey(parts, mutant))
  }
  return keys
}

/** Equal functions of a file have different keys. */
function uniqueKeys(): (text: string) => string {
  const counts = new Map<string, number>()
  return (text) => {
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return digestOf(count === 1 ? text : `${count} ${text}`)
  }
}

export const digestOf = (text: string): string => hash('sha256', text).slice(0, 16)
