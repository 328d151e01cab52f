import type { Mutant } from '../mutant.ts'
import type { Span } from '../mutant-list.ts'
import type { NumberedMutant } from '../switched-source.ts'
import { type Insertion, inserted } from './insertions.ts'
import { contains, type Host, type Loop, type Statement } from './places.ts'
import type { Target } from './targets.ts'

/** The object that chooses the mutant, in a source. */
export const name = '__assayMutants'

/** The chosen mutant of a long function, or 0. */
const chosen = '__assayChosen'

/** Says that the mutant itself runs. Its function can end before, such as where it finds its result in a cache. */
const runs = `${name}.run()`

export interface Copy extends NumberedMutant {
  /** The code that is copied: a part of the function, or null for all of it. */
  target: Target | null
  /** The innermost statement around the mutant; null in an expression. */
  statement: Statement | null
}

/** Copies a function for each mutant, or the part of it that the mutant changes. */
export function copiesOfBody(source: string, host: Host, copies: readonly Copy[], entered: string): Insertion[] {
  const cases = ['case 0:break;']
  const parts = new Map<Target, Copy[]>()
  for (const copy of copies) {
    const { id, target } = copy
    if (target) parts.set(target, [...(parts.get(target) ?? []), copy])
    else cases.push(`case ${id}:${name}.check();{${statements(source, host, host.loops, copy)}\n}return;`)
  }
  const ids = [...parts.values()].flat().map(({ id }) => `case ${id}:`)
  if (ids.length > 0) cases.push(`${ids.join('')}${name}.check();${chosen}=${name}.active`)
  const declared = ids.length > 0 ? `let ${chosen}=0;` : ''
  // A directive may end without a semicolon.
  const text = `;${entered};${declared}switch(${name}.active){${cases.join('')}}`
  return [
    { at: host.entry, text, reach: host.end - host.start + 2 },
    ...(ids.length > 0 ? checks(host.loops, `if(${chosen})${name}.check();`) : []),
    ...[...parts].flatMap(([target, own]) => copiesOfPart(source, target, host.loops, own)),
  ]
}

/** A statement is copied in an `if`, in which `break` and `continue` mean what they mean outside of it. */
function copiesOfPart(source: string, target: Target, loops: readonly Loop[], own: readonly Copy[]): Insertion[] {
  const { start, end, isStatement } = target
  const copies = own.map((copy) => {
    if (isStatement) return `if(${chosen}===${copy.id}){${statements(source, target, loops, copy)}\n}else `
    return `${chosen}===${copy.id}?(${runs},(${expression(source, target, loops, copy)}\n)):`
  })
  const [opening, closing] = isStatement ? [`${copies.join('')}{`, '}'] : [`(${copies.join('')}(`, '))']
  return [
    { at: start, text: opening, reach: end - start },
    { at: end, text: closing, reach: start - end },
  ]
}

/** Copies an expression for each mutant. */
export function copiesOfExpression(source: string, host: Host, copies: readonly Copy[], reached: string): Insertion[] {
  const reach = host.end - host.start
  const cases = copies.map((copy) => {
    const code = expression(source, host, host.loops, copy)
    return `${name}.active===${copy.id}?(${name}.check(),${runs},(${code}\n)):`
  })
  // After a line without a semicolon, a parenthesis would continue the line.
  const opening = host.kind === 'statement' ? 'void(' : '('
  return [
    { at: host.start, text: `${opening}${cases.join('')}(${reached},(`, reach },
    { at: host.end, text: ')))', reach: -reach },
  ]
}

/** Returns statements with a mutant, which say when it runs. */
function statements(source: string, code: Host | Target, loops: readonly Loop[], copy: Copy): string {
  const isInside = copy.statement !== null && contains(code, copy.statement)
  const statement = isInside ? copy.statement : null
  return `${statement ? '' : `${runs};`}${mutated(source, code, loops, { ...copy, statement })}`
}

const expression = (source: string, code: Host | Target, loops: readonly Loop[], copy: Copy) =>
  mutated(source, code, loops, { ...copy, statement: null })

/** Returns the code with a mutant, with a check of the time in its loops, and a mark before the statement of the mutant. */
function mutated(
  source: string,
  code: Host | Target,
  loops: readonly Loop[],
  { mutant, statement }: Pick<Copy, 'mutant' | 'statement'>,
): string {
  const inside = loops.filter(({ start, end, body }) => contains(code, { start, end }) && !overlaps(body, mutant))
  const insertions = checks(inside, `${name}.check();`)
  const cut = (from: number, to: number) =>
    inserted(
      source.slice(from, to),
      insertions
        .filter(({ at, reach }) => (reach < 0 ? at > from && at <= to : at >= from && at < to))
        .map((one) => ({ ...one, at: one.at - from })),
    )
  const { start, end, isListed = true } = statement ?? { start: mutant.start, end: mutant.end }
  const mark = statement ? `${isListed ? '' : '{'}${runs};` : ''
  const replaced = cut(start, mutant.start) + replacementIn(code, mutant) + cut(mutant.end, end)
  return `${cut(code.start, start)}${mark}${replaced}${isListed ? '' : '}'}${cut(end, code.end)}`
}

/** A statement that is left out has the range of its expression if it ends without a semicolon. */
function replacementIn(code: Host | Target, { start, replacement }: Mutant): string {
  const isLeftOut = 'kind' in code && code.kind === 'statement' && replacement === ';' && start === code.start
  return isLeftOut ? 'void 0' : replacement
}

function checks(loops: readonly Loop[], check: string): Insertion[] {
  return loops.flatMap(({ body, isBlock }): Insertion[] => {
    const reach = body.end - body.start
    if (isBlock) return [{ at: body.start + 1, text: check, reach }]
    return [
      { at: body.start, text: `{${check}`, reach },
      { at: body.end, text: '}', reach: -reach },
    ]
  })
}

/** Whether the mutant replaces the body or a part of its edge. */
const overlaps = (body: Span, { start, end }: Span) =>
  start < body.end && end > body.start && (start <= body.start || end >= body.end)
