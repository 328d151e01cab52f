import type { Node } from 'web-tree-sitter'
import type { Root } from '../receivers.ts'
import type { Rule } from './grammar.ts'
import type { Walk } from './walk.ts'

/** Built-in functions and types on whose results members are called. */
export const pythonGlobals: ReadonlySet<string> = new Set(
  `bool bytearray bytes dict enumerate filter float format frozenset input int iter len list map max memoryview min open
  range repr reversed round set sorted str sum tuple type zip`.split(/\s+/),
)

/** Assignments of variables. Parameters hide modules of the same name. */
export const receiverRules: Rule[] = [
  { visit: '(assignment left: [(identifier) (attribute)] right: (_)) @it', by: assigned },
  { visit: '(named_expression) @it', by: assigned },
  { visit: '(as_pattern (_) alias: (as_pattern_target (identifier))) @it', by: opened },
  ...[
    '(parameters (identifier) @it)',
    '(typed_parameter (identifier) @it)',
    '(default_parameter name: (identifier) @it)',
  ]
    .concat(['(typed_default_parameter name: (identifier) @it)', '(lambda_parameters (identifier) @it)'])
    .concat(['(for_statement left: (identifier) @it)', '(for_in_clause left: (identifier) @it)'])
    .concat(['(pattern_list (identifier) @it)', '(tuple_pattern (identifier) @it)'])
    .map((visit) => ({ visit, by: hidden })),
]

export function memberCall(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'attribute')
  if (name) walk.facts.uses.memberReference(name, rootOf(node.childForFieldName('object'), walk))
}

function assigned(node: Node, walk: Walk): void {
  const target = node.childForFieldName(node.type === 'named_expression' ? 'name' : 'left')
  const value = node.childForFieldName(node.type === 'named_expression' ? 'value' : 'right')
  const name = target && (target.type === 'attribute' ? ownAttribute(target, walk) : walk.text(target))
  if (name) walk.facts.uses.receivers?.assign(name, rootOf(value, walk))
}

function opened(node: Node, walk: Walk): void {
  const alias = node.childForFieldName('alias')
  if (alias) walk.facts.uses.receivers?.assign(walk.text(alias), rootOf(node.firstNamedChild, walk))
}

function hidden(node: Node, walk: Walk): void {
  walk.facts.uses.receivers?.assign(walk.text(node), undefined)
}

/** The variable or module at the beginning of a chain of calls. */
function rootOf(node: Node | null, walk: Walk): Root {
  let value = node
  while (value) {
    switch (value.type) {
      case 'identifier': {
        const name = walk.text(value)
        return isOwnObject(name) ? 'own object' : { name }
      }
      case 'string':
      case 'concatenated_string':
      case 'list':
      case 'dictionary':
      case 'set':
      case 'tuple':
      case 'list_comprehension':
        return 'language'
      case 'attribute': {
        const own = ownAttribute(value, walk)
        if (own) return { name: own }
        value = value.childForFieldName('object')
        break
      }
      case 'call':
        value = value.childForFieldName('function')
        break
      case 'subscript':
        value = value.childForFieldName('value')
        break
      case 'await':
      case 'parenthesized_expression':
        value = value.firstNamedChild
        break
      default:
        return undefined
    }
  }
  return undefined
}

/** `self.queue` counts as a variable of the file. */
function ownAttribute(node: Node, walk: Walk): string | undefined {
  const object = node.childForFieldName('object')
  if (object?.type !== 'identifier' || !isOwnObject(walk.text(object))) return undefined
  return `self.${walk.fieldText(node, 'attribute') ?? ''}`
}

const isOwnObject = (name: string) => name === 'self' || name === 'cls'
