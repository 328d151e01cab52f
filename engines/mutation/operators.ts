/** What the languages have in common; each looks up the operators that it has. */
type Operators = Readonly<Partial<Record<string, string>>>

/** The comparison that says yes where the other one says no. */
export const opposite: Operators = {
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

/** The comparison that differs where both sides are equal, and nowhere else. */
export const strictness: Operators = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

export const inverseArithmetic: Operators = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '//': '*',
  '%': '*',
  '**': '*',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
}

export const inverseAssignment: Operators = Object.fromEntries(
  Object.entries(inverseArithmetic).map(([operator, inverse]) => [`${operator}=`, `${inverse}=`]),
)

/** Whether the operator with that number on its right comes to the same as its inverse. */
export function isNeutral(operator: string, number: number | undefined): boolean {
  if (number === undefined) return false
  if (/^(?:[+-]|<<|>>)/.test(operator)) return number === 0
  return /^[*/]/.test(operator) && Math.abs(number) <= 1
}

/** One less, which is there wherever the number was; but no step from the front of a list to its end. */
export const nextTo = (number: number): number => (number === 0 ? 1 : number - 1)
