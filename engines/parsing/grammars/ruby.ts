import type { Node } from 'web-tree-sitter'
import { branches, type Grammar } from './grammar.ts'
import type { Walk } from './walk.ts'

/** Nodes whose children are statements. */
const blocks = new Set(['body_statement', 'block_body', 'then', 'else', 'do', 'begin', 'ensure'])

export const ruby: Grammar = {
  wasm: 'ruby',
  rules: [
    {
      visit: '(call !receiver method: (identifier) arguments: (argument_list . [(string) (simple_symbol)])) @it',
      by: loadCall,
    },
    { visit: '(call method: (identifier) arguments: (argument_list . [(string) (identifier)])) @it', by: sendCall },
    { visit: '(module) @it', by: moduleDefinition },
    { visit: '(class) @it', by: classDefinition },
    { visit: '(singleton_class) @it', by: singletonClass },
    { visit: '(assignment left: (constant) right: (call receiver: (constant) block: (_))) @it', by: assignedClass },
    { visit: '(method) @it', by: methodDefinition },
    { visit: '(singleton_method) @it', by: methodDefinition },

    ...branches('if', 'elsif', 'unless', 'if_modifier', 'unless_modifier', 'while', 'until', 'while_modifier'),
    ...branches('until_modifier', 'for', 'when', 'in_clause', 'rescue', 'rescue_modifier', 'conditional'),
    ...branches('if_guard', 'unless_guard'),
    { branch: '(binary operator: ["&&" "||" "and" "or"] @it)' },
    { branch: '(operator_assignment operator: ["&&=" "||="] @it)' },

    // Counted by hand: patterns for the children of blocks cost twice as much as all others together.
    { visit: `[${[...blocks].map((block) => `(${block})`).join(' ')}] @it`, by: countStatements },
    { visit: '(comment) @it', by: countNotAsStatement },
    { statement: '[(rescue) (ensure)] @it', count: -1 },
    { statement: '(body_statement [(else) (heredoc_body)] @it)', count: -1 },
    { statement: '(begin (else) @it)', count: -1 },

    { reference: '(call method: (identifier) @it)' },
    // A call without arguments looks like a variable.
    { visit: '(identifier) @it', by: bareName },
    { visit: '(assignment left: (identifier) @it)', by: localName },
    { visit: '(left_assignment_list (identifier) @it)', by: localName },
    { visit: '(operator_assignment left: (identifier) @it)', by: localName },
    { visit: '(method_parameters [(identifier) @it (_ name: (identifier) @it)])', by: localName },
    { visit: '(block_parameters [(identifier) @it (_ name: (identifier) @it)])', by: localName },
    { visit: '(lambda_parameters [(identifier) @it (_ name: (identifier) @it)])', by: localName },
    { visit: '(exception_variable (identifier) @it)', by: localName },
    { visit: '(for pattern: (identifier) @it)', by: localName },
    { visit: '(simple_symbol) @it', by: symbolName },
    // Constants are loaded by name: each one that is mentioned is a use.
    { reference: '(constant) @it' },
  ],
}

function loadCall(node: Node, walk: Walk): void {
  const method = walk.fieldText(node, 'method')
  const [first, second] = node.childForFieldName('arguments')?.namedChildren ?? []
  if (method === 'autoload' && first && second) {
    const specifier = stringContent(second, walk)
    if (specifier) walk.facts.import({ specifier, names: [walk.text(first).replace(/^:/, '')] })
    return
  }
  const specifier = first && stringContent(first, walk)
  if (!specifier) return
  if (method === 'require' || method === 'load') walk.facts.import({ specifier, names: [] })
  else if (method === 'require_relative') {
    walk.facts.import({ specifier: specifier.startsWith('.') ? specifier : `./${specifier}`, names: [] })
  }
}

const senders = new Set(['send', 'public_send', '__send__', 'method', 'public_method'])

/** `send("on_#{event}")` calls any method of that name's beginning. */
function sendCall(node: Node, walk: Walk): void {
  if (!senders.has(walk.fieldText(node, 'method') ?? '')) return
  const receiver = node.childForFieldName('receiver')
  const name = node.childForFieldName('arguments')?.firstNamedChild
  if (!name || (receiver && receiver.type !== 'self')) return
  const whole = stringContent(name, walk)
  if (whole !== undefined) return walk.facts.uses.reference(whole)
  const [first] = name.namedChildren
  walk.facts.uses.dispatch(first?.type === 'string_content' ? walk.text(first) : '')
}

function bareName(node: Node, walk: Walk): void {
  if (!walk.names.has(node.startIndex)) walk.facts.uses.value(walk.text(node))
}

function localName(node: Node, walk: Walk): void {
  walk.facts.uses.local(walk.text(node))
}

/** `before_save :check`, `method(:price)` and `&:tax` name methods. */
function symbolName(node: Node, walk: Walk): void {
  const name = walk.text(node).slice(1)
  // Only methods have such names: `response.must_be :ok?`.
  if (/[?!]$/.test(name)) walk.facts.uses.reference(name)
  else walk.facts.uses.symbolic(name)
}

/** The content of a string without interpolation. */
function stringContent(node: Node, walk: Walk): string | undefined {
  const [content] = node.namedChildren
  if (node.type !== 'string' || node.namedChildCount !== 1 || content?.type !== 'string_content') return undefined
  return walk.text(content)
}

function countStatements(node: Node, walk: Walk): void {
  walk.facts.statement(node.namedChildCount)
}

/** Takes back that a child of a block was counted: comments and definitions do nothing when the block runs. */
function countNotAsStatement(node: Node, walk: Walk): void {
  if (walk.facts.scope && node.parent && blocks.has(node.parent.type)) walk.facts.statement(-1)
}

function moduleDefinition(node: Node, walk: Walk): void {
  countNotAsStatement(node, walk)
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.namespace ??= name
  exportConstant(name, walk)
  walk.openNamespace(node, name, true)
  hidePrivateMethods(node, walk)
}

function classDefinition(node: Node, walk: Walk): void {
  countNotAsStatement(node, walk)
  const name = walk.fieldText(node, 'name')
  if (!name) return
  exportConstant(name, walk)
  const base = node.childForFieldName('superclass')?.firstNamedChild
  const bases = base ? [walk.text(base).replace(/^.*::/s, '')] : []
  walk.open(node, { name, kind: 'class', exported: true, bases })
  hidePrivateMethods(node, walk)
}

function singletonClass(node: Node, walk: Walk): void {
  countNotAsStatement(node, walk)
  hidePrivateMethods(node, walk)
}

/** `Point = Struct.new(:x) do … end` and its relatives. */
function assignedClass(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'left')
  const call = node.childForFieldName('right')
  if (!name || !call) return
  if (!['Struct', 'Class', 'Module', 'Data'].includes(walk.fieldText(call, 'receiver') ?? '')) return
  exportConstant(name, walk)
  walk.open(node, { name, kind: 'class', exported: true })
  const block = call.childForFieldName('block')
  if (block) hidePrivateMethods(block, walk)
}

function methodDefinition(node: Node, walk: Walk): void {
  countNotAsStatement(node, walk)
  const named = node.childForFieldName('name')
  if (!named) return
  const name = walk.text(named)
  walk.names.add(named.startIndex)
  const around = walk.facts.scope
  walk.open(node, {
    name,
    kind: around && !around.inFunction ? 'method' : around?.symbol?.kind === 'class' ? 'method' : 'function',
    exported: !walk.hidden.has(node.startIndex),
    onlyIfBranching: around?.inFunction === true,
  })
  // `def area = width * height` has its expression where other methods have a block.
  const body = node.childForFieldName('body')
  if (body && body.type !== 'body_statement') walk.facts.statement()
}

function exportConstant(name: string, walk: Walk): void {
  const around = walk.facts.scope
  if (around?.inFunction) return
  walk.facts.export({ name: around ? `${around.path.replaceAll('.', '::')}::${name}` : name })
}

/**
 * `private` and `protected` hide the methods after them, or those that they are given: as a definition or by name,
 * which may come after the definition.
 */
function hidePrivateMethods(definition: Node, walk: Walk): void {
  const children = definition.childForFieldName('body')?.namedChildren ?? []
  const methods = new Map<string, number>()
  let hiding = false
  for (const child of children) {
    if (child.type === 'method' || child.type === 'singleton_method') {
      methods.set(walk.fieldText(child, 'name') ?? '', child.startIndex)
      if (hiding && child.type === 'method') walk.hidden.add(child.startIndex)
    } else if (child.type === 'identifier') {
      const word = walk.text(child)
      if (word === 'private' || word === 'protected') hiding = true
      else if (word === 'public') hiding = false
    } else if (child.type === 'call') {
      const word = walk.fieldText(child, 'method')
      if (word !== 'private' && word !== 'protected' && word !== 'private_class_method') continue
      for (const argument of child.childForFieldName('arguments')?.namedChildren ?? []) {
        const named =
          argument.type === 'simple_symbol' ? methods.get(walk.text(argument).slice(1)) : argument.startIndex
        if (named !== undefined) walk.hidden.add(named)
      }
    }
  }
}
