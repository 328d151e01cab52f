import { child, namedChildren, nodesOf, type SyntaxNode, unwrap } from '../../parsing/syntax-tree.ts'
import { inverseArithmetic, opposite } from '../operators.ts'

type Text = (node: SyntaxNode) => string

/** Returns the types of a function's results one by one: `(a, b int, err error)` has three. */
export function resultTypes(definition: SyntaxNode): SyntaxNode[] {
  const result = child(definition, 'result')
  if (!result) return []
  if (result.type !== 'parameter_list') return [result]
  return namedChildren(result).flatMap((parameter) => {
    const type = child(parameter, 'type')
    const names = parameter.children.filter((part) => part.field === 'name').length
    return type ? Array<SyntaxNode>(Math.max(names, 1)).fill(type) : []
  })
}

const isNumber = /^(?:u?int(?:8|16|32|64)?|uintptr|byte|rune|float(?:32|64)|complex(?:64|128))$/
const nilTypes = new Set(['pointer_type', 'slice_type', 'map_type', 'channel_type', 'function_type', 'interface_type'])

/** Returns the zero value of a type as an expression. */
export function zeroOf(type: SyntaxNode, text: Text): string {
  const name = text(type)
  if (nilTypes.has(type.type) || name === 'error' || name === 'any') return 'nil'
  if (isNumber.test(name)) return '0'
  if (name === 'string') return '""'
  return name === 'bool' ? 'false' : `*new(${name})`
}

/**
 * Returns another value of the declared type for a returned value. Returns undefined if the value would be the same, or
 * if other operators mutate it already.
 */
export function otherResult(raw: SyntaxNode, type: SyntaxNode, text: Text): string | undefined {
  const node = unwrap(raw)
  const written = text(node)
  const name = text(type)
  const operator = child(node, 'operator')?.type ?? ''
  if (node.type === 'nil' || node.type === 'func_literal') return undefined
  if (node.type === 'true' || node.type === 'false') return node.type === 'true' ? 'false' : 'true'
  if (node.type.endsWith('string_literal')) return written.length > 2 ? '""' : '"mutant"'
  if (isNumber.test(name)) {
    const number = writtenNumber(node, text)
    if (number !== undefined) return number < 127 ? String(number + 1) : undefined
    if (inverseArithmetic[operator] || written.startsWith('math.')) return undefined
    return `${written} + 1`
  }
  if (name === 'bool') {
    return opposite[operator] || /^(?:!|&&|\|\|)$/.test(operator) ? undefined : `!${written}`
  }
  const literal = node.type === 'unary_expression' && operator === '&' ? child(node, 'operand') : node
  if (literal?.type === 'composite_literal') {
    const [composed, body] = [child(literal, 'type'), child(literal, 'body')]
    if (!composed || !body || namedChildren(body).length === 0) return undefined
    return `${literal === node ? '' : '&'}${text(composed)}{}`
  }
  return zeroOf(type, text)
}

/** Returns the names that are declared as strings anywhere in the file. */
export function joinedNames(root: SyntaxNode, text: Text): Set<string> {
  const names = new Set<string>()
  for (const node of nodesOf(root)) {
    if (/^(?:parameter_declaration|var_spec|field_declaration)$/.test(node.type)) {
      const type = child(node, 'type')
      if (!type || text(type) !== 'string') continue
      for (const part of node.children) if (part.field === 'name') names.add(text(part))
    } else if (node.type === 'short_var_declaration') {
      const [targets, values] = [child(node, 'left'), child(node, 'right')]
      if (!targets || !values) continue
      const given = namedChildren(values)
      for (const [index, target] of namedChildren(targets).entries()) {
        const value = given[index]
        if (value && joins(value, names, text)) names.add(text(target))
      }
    }
  }
  return names
}

/** Whether `+` on the value probably joins strings. */
export function joins(raw: SyntaxNode, names: ReadonlySet<string>, text: Text): boolean {
  const node = unwrap(raw)
  switch (node.type) {
    case 'interpreted_string_literal':
    case 'raw_string_literal':
      return true
    case 'identifier':
      return names.has(text(node))
    case 'selector_expression': {
      const field = child(node, 'field')
      return field !== undefined && names.has(text(field))
    }
    case 'slice_expression': {
      const operand = child(node, 'operand')
      return operand !== undefined && joins(operand, names, text)
    }
    case 'binary_expression': {
      if (child(node, 'operator')?.type !== '+') return false
      return namedChildren(node).some((side) => joins(side, names, text))
    }
    case 'call_expression': {
      const called = child(node, 'function')
      return called !== undefined && joining.test(text(called))
    }
    default:
      return false
  }
}

const joining =
  /^(?:string|fmt\.Sprint(?:f|ln)?|strconv\.(?:Itoa|Quote|Format\w+)|strings\.(?:Join|Repeat|Replace(?:All)?|Title|To\w+|Trim\w*)|\w+\.(?:String|Error))$/

export function writtenNumber(node: SyntaxNode | undefined, text: Text): number | undefined {
  if (node?.type === 'int_literal') return /^(?:0|[1-9]\d{0,14})$/.test(text(node)) ? Number(text(node)) : undefined
  if (node?.type !== 'unary_expression' || child(node, 'operator')?.type !== '-') return undefined
  const value = writtenNumber(child(node, 'operand'), text)
  return value === undefined ? undefined : -value
}
