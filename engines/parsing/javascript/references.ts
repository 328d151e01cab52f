import type { CallExpression, Node } from 'oxc-parser'
import type { FactsBuilder } from '../facts-builder.ts'
import { rootOf } from './roots.ts'
import { type Child, literalPrefix, literalText, unwrap } from './syntax.ts'

/** Records the names that a call, construction, heritage clause, decorator or JSX element uses. */
export function recordReferences(facts: FactsBuilder, node: Node): void {
  switch (node.type) {
    case 'CallExpression':
      recordValues(facts, node.arguments)
      recordPaths(facts, node)
      recordBound(facts, node.callee)
      return record(facts, node.callee)
    case 'NewExpression': {
      const [target, base] = node.arguments
      // `new URL('./worker.js', import.meta.url)` is how workers and assets are loaded without import syntax.
      if (base?.type === 'MemberExpression' && base.object.type === 'MetaProperty') {
        const specifier = literalText(target)
        if (specifier !== undefined) facts.import({ specifier: besideModule(specifier), names: [] })
      }
      recordValues(facts, node.arguments)
      return record(facts, node.callee)
    }
    case 'TaggedTemplateExpression':
      return record(facts, node.tag)
    case 'ClassDeclaration':
    case 'ClassExpression':
      return record(facts, node.superClass)
    case 'Decorator':
      return record(facts, node.expression)
    case 'JSXOpeningElement':
      return recordElement(facts, node.name)
  }
}

/** An address without a folder is a file beside the module, and no package. */
const besideModule = (address: string) => (/^[\w@][^:]*$/.test(address) ? `./${address}` : address)

const mocks = new Set(['mock', 'doMock', 'unmock', 'dontMock', 'setMock'])

/** `rewire('../lib/parser')` and `fork('./worker.js')` load files by whatever they are. */
function recordPaths(facts: FactsBuilder, { callee, arguments: values }: CallExpression): void {
  const { object, property } = callee.type === 'MemberExpression' ? callee : {}
  if (property?.type === 'Identifier' && mocks.has(property.name)) return
  if (object?.type === 'Identifier' && object.name === 'require') return
  for (const value of values) {
    const path = value.type === 'Literal' ? value.value : undefined
    if (typeof path === 'string' && path.length < 200 && /^\.\.?\/[\w@]|^\.\.\/\.\./.test(path))
      facts.import({ specifier: path, names: ['*'] })
  }
}

function record(facts: FactsBuilder, callee: Child): void {
  if (!callee) return
  const target = unwrap(callee)
  if (target.type === 'Identifier') {
    facts.uses.bareReference(target.name)
  } else if (target.type === 'MemberExpression') {
    if (target.property.type === 'PrivateIdentifier') facts.uses.reference(`#${target.property.name}`)
    else if (target.property.type === 'Identifier' && !target.computed) {
      facts.uses.memberReference(target.property.name, rootOf(target.object))
    } else callComputed(facts, target)
    if (target.object.type === 'Identifier' && isCapitalized(target.object.name)) {
      facts.uses.bareReference(target.object.name)
    }
  }
}

/** A function that is handed on, or kept: an argument, an element of a list, a value of an object, a result. */
export function recordValues(facts: FactsBuilder, values: readonly (Child | undefined)[]): void {
  for (const value of values) {
    if (!value) continue
    const target = unwrap(value)
    if (target.type === 'Identifier') facts.uses.value(target.name, 'variable')
    else if (target.type === 'MemberExpression') {
      if (target.property.type === 'PrivateIdentifier') facts.uses.value(`#${target.property.name}`)
      else if (target.property.type === 'Identifier' && !target.computed) facts.uses.value(target.property.name)
    }
  }
}

/**
 * Records a function that an expression chooses or keeps: `a || b`, `a ? b : c`, a default, a variable. A property of
 * another object may be any value, so that only own members count.
 */
export function recordKept(facts: FactsBuilder, values: readonly Child[]): void {
  recordValues(
    facts,
    values.filter((value) => {
      const target = value && unwrap(value)
      return target?.type !== 'MemberExpression' || target.object.type === 'ThisExpression'
    }),
  )
}

/**
 * Notes `handlers[name]`, which may be any member, and `this['on' + name]`, which may be any whose name begins so.
 * `this[name]` by itself reads whatever the caller asks for; see `callComputed`.
 */
export function recordComputed(facts: FactsBuilder, { object, property }: ComputedMember): void {
  const prefix = literalPrefix(property)
  if (object.type === 'Identifier') facts.uses.readTable(object.name)
  else if (object.type === 'ThisExpression' && prefix !== '') facts.uses.dispatch(prefix)
}

/** Notes `this[name]()`, and `const method = this[name]` if the file calls the variable. */
export function callComputed(facts: FactsBuilder, node: Child, variable?: string): void {
  const value = node && unwrap(node)
  if (value?.type !== 'MemberExpression' || !value.computed || value.object.type !== 'ThisExpression') return
  if (literalPrefix(value.property) === '' && !isKey(value.property)) facts.uses.dispatch('', variable)
}

type ComputedMember = Extract<Node, { type: 'MemberExpression' }>

/** Symbols and positions name no method: `this[kState]`, `this[Symbol.iterator]`, `this[0]`, `this[index + 1]`. */
function isKey(property: Node): boolean {
  if (property.type === 'Identifier') return /^(?:k[A-Z]|[A-Z]|_?[A-Z_]+$|i(?:ndex)?$)/.test(property.name)
  return ['Literal', 'MemberExpression', 'BinaryExpression', 'UpdateExpression', 'UnaryExpression'].includes(
    property.type,
  )
}

const binders = new Set(['bind', 'call', 'apply'])

/** `this.update.bind(this)` uses `update`. */
function recordBound(facts: FactsBuilder, callee: Child): void {
  if (callee?.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
  if (!binders.has(callee.property.name)) return
  recordValues(facts, [callee.object])
  if (callee.object.type === 'Identifier') facts.uses.called(callee.object.name)
  else callComputed(facts, callee.object)
}

function recordElement(facts: FactsBuilder, name: Node): void {
  if (name.type === 'JSXIdentifier') {
    if (isCapitalized(name.name)) facts.uses.reference(name.name)
  } else if (name.type === 'JSXMemberExpression') {
    facts.uses.reference(name.property.name)
    recordElement(facts, name.object)
  }
}

/** By convention the name of a class, component or namespace, which is worth knowing beside the member called on it. */
function isCapitalized(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 65 && first <= 90
}
