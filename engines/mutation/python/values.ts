import type { SyntaxNode } from '../../parsing/syntax-tree.ts'
import { child, namedChildren, nodesOf } from '../../parsing/syntax-tree.ts'

type Text = (node: SyntaxNode) => string

export type Kind = 'number' | 'boolean' | 'string' | 'list' | 'tuple' | 'dict' | 'set' | 'nothing' | 'unknown'

const byTypeName: Record<string, Kind> = {
  int: 'number',
  float: 'number',
  bool: 'boolean',
  str: 'string',
  list: 'list',
  List: 'list',
  Sequence: 'list',
  tuple: 'tuple',
  Tuple: 'tuple',
  dict: 'dict',
  Dict: 'dict',
  Mapping: 'dict',
  set: 'set',
  Set: 'set',
  None: 'nothing',
  NoReturn: 'nothing',
}

/** Returns the kind that an annotation declares. For `Optional[int]` and `int | None` it is the number. */
export function declaredKind(annotation: string | undefined): Kind {
  if (annotation === undefined) return 'unknown'
  const plain = annotation.replace(/["'\s]|typing\./g, '').replace(/\|None\b|\bNone\|/, '')
  const optional = /^Optional\[(.*)\]$/.exec(plain)?.[1] ?? plain
  const [, name = ''] = /^(\w+)(?:\[.*\])?$/.exec(optional) ?? []
  return byTypeName[name] ?? 'unknown'
}

const byFunction: Record<string, Kind> = {
  len: 'number',
  int: 'number',
  float: 'number',
  abs: 'number',
  round: 'number',
  ord: 'number',
  hash: 'number',
  str: 'string',
  repr: 'string',
  chr: 'string',
  bool: 'boolean',
  any: 'boolean',
  all: 'boolean',
  isinstance: 'boolean',
  issubclass: 'boolean',
  hasattr: 'boolean',
  callable: 'boolean',
  list: 'list',
  sorted: 'list',
  tuple: 'tuple',
  dict: 'dict',
  set: 'set',
}

const byMethod = new Map<string, Kind>()
const methods: [Kind, string][] = [
  [
    'boolean',
    'startswith endswith isdigit isalpha isalnum isspace isupper islower isnumeric issubset issuperset is_file is_dir exists',
  ],
  [
    'string',
    'join strip lstrip rstrip lower upper title capitalize replace format zfill ljust rjust center decode isoformat strftime',
  ],
  ['list', 'split rsplit splitlines tolist'],
  ['number', 'bit_length total_seconds timestamp'],
]
for (const [kind, names] of methods) for (const name of names.split(' ')) byMethod.set(name, kind)

/** Returns the kind of an expression by its syntax. */
export function kindOf(node: SyntaxNode, text: Text): Kind {
  switch (node.type) {
    case 'string':
    case 'concatenated_string':
      return 'string'
    case 'list':
    case 'list_comprehension':
      return 'list'
    case 'tuple':
    case 'expression_list':
      return 'tuple'
    case 'dictionary':
    case 'dictionary_comprehension':
      return 'dict'
    case 'set':
    case 'set_comprehension':
      return 'set'
    case 'call': {
      const called = child(node, 'function')
      if (called?.type === 'identifier') return byFunction[text(called)] ?? 'unknown'
      const method = called && child(called, 'attribute')
      return (method && byMethod.get(text(method))) ?? 'unknown'
    }
    default:
      return 'unknown'
  }
}

const joinable = new Set<Kind>(['string', 'list', 'tuple'])

/** Returns the names that are declared as texts or lists anywhere in the file. `+` joins their values. */
export function joinedNames(root: SyntaxNode, text: Text): Set<string> {
  const names = new Set<string>()
  for (const node of nodesOf(root)) {
    const target =
      node.type === 'assignment'
        ? child(node, 'left')
        : node.type === 'typed_parameter'
          ? namedChildren(node)[0]
          : node.type.endsWith('default_parameter')
            ? child(node, 'name')
            : undefined
    if (!target) continue
    const annotation = child(node, 'type')
    const value = child(node, 'right') ?? child(node, 'value')
    const joined = joinable.has(declaredKind(annotation && text(annotation))) || (value && joins(value, names, text))
    const name = target.type === 'attribute' ? child(target, 'attribute') : target
    if (joined && name?.type === 'identifier') names.add(text(name))
  }
  return names
}

/** Whether `+`, `%` or `*` on the value probably joins, formats or repeats. */
export function joins(node: SyntaxNode, names: ReadonlySet<string>, text: Text): boolean {
  switch (node.type) {
    case 'identifier':
      return names.has(text(node))
    case 'attribute': {
      const name = child(node, 'attribute')
      return name !== undefined && names.has(text(name))
    }
    case 'parenthesized_expression':
    case 'conditional_expression':
    case 'boolean_operator':
      return namedChildren(node).some((part) => joins(part, names, text))
    case 'binary_operator': {
      const [left, right] = [child(node, 'left'), child(node, 'right')]
      return [left, right].some((side) => side !== undefined && joins(side, names, text))
    }
    case 'subscript': {
      const [value] = node.children
      return node.children.some((part) => part.type === 'slice') && value !== undefined && joins(value, names, text)
    }
    default:
      return joinable.has(kindOf(node, text))
  }
}

export function writtenNumber(node: SyntaxNode | undefined, text: Text): number | undefined {
  if (node?.type === 'integer') return /^\d{1,15}$/.test(text(node)) ? Number(text(node)) : undefined
  if (node?.type === 'unary_operator' && text(node).startsWith('-')) {
    const value = writtenNumber(child(node, 'argument'), text)
    return value === undefined ? undefined : -value
  }
  return node?.type === 'parenthesized_expression' ? writtenNumber(namedChildren(node)[0], text) : undefined
}
