import type { JudgedMutant } from './schema.ts'

type Texts = Pick<JudgedMutant, 'original' | 'replacement'>

/**
 * Returns one sentence that says which assertion would notice the mutant.
 *
 * @param context - the line without and with the change, if `original` is short
 */
export function adviceOn(mutant: JudgedMutant, context: Texts | null = null): string {
  const { path, operator, original, replacement } = mutant
  switch (operator) {
    case 'boundary':
      return boundaryAdvice(mutant, context)
    case 'condition':
      if (literals.has(original)) return differs(context ?? mutant)
      if (areSwapped(original, replacement))
        return `Assert a result where only one side of ${quoted(original)} is true.`
      return `Assert a result that differs where ${quoted(original)} is true and where it is false.`
    case 'return':
      return `Assert the value that is returned, ${quoted(original)}.`
    case 'removed_call':
      return `Assert what ${quoted(original)} does.`
    case 'removed_throw':
      return `Assert that the error of ${quoted(original)} is ${path.endsWith('.py') ? 'raised' : 'thrown'}, and not another one: check its message.`
    default:
      return `Assert the number that ${quoted(original)} gives, with operands for which ${quoted(replacement)} gives another one.`
  }
}

const literals = new Set(['true', 'false', 'True', 'False'])

const connectives = [
  ['||', '&&'],
  [' or ', ' and '],
] as const

/** Whether an `or` became an `and`, or an `and` an `or`. */
const areSwapped = (original: string, replacement: string) =>
  connectives.some(
    ([or, and]) => original !== replacement && original.replaceAll(or, and) === replacement.replaceAll(or, and),
  )

const differs = ({ original, replacement }: Texts) =>
  `Assert a result that differs between ${quoted(original)} and ${quoted(replacement)}.`

function boundaryAdvice(mutant: Texts, context: Texts | null): string {
  const { original } = mutant
  const comparison = /<=?|>=?/.exec(original)
  const left = original.slice(0, comparison?.index).trim()
  const right = comparison ? original.slice(comparison.index + comparison[0].length).trim() : ''
  if (left === '' || right === '') {
    return differs(context ?? mutant)
  }
  return `Assert what happens where ${quoted(left)} equals ${quoted(right)}.`
}

const quoted = (code: string) => `\`${code.replaceAll('`', "'")}\``
