// Shared by all languages; each of them looks up its own operators.
type Operators = Readonly<Partial<Record<string, string>>>

/** The negated comparisons. */
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

/** The comparisons that differ only for equal operands. */
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

/** Whether the operator with this right operand has the same result as its inverse. For integers, `//` has too. */
export function isNeutral(operator: string, number: number | undefined): boolean {
  if (number === undefined) return false
  if (/^(?:[+-]|<<|>>)/.test(operator)) return number === 0
  // `a ** 1` is `a * 1`, but `a ** -1` is not `a * -1`.
  if (operator.startsWith('**')) return number === 1
  return /^[*/]/.test(operator) && Math.abs(number) === 1
}

/** Subtracts one, so that an index stays valid, but does not change 0 to -1. */
export const nextTo = (number: number): number => (number === 0 ? 1 : number - 1)
