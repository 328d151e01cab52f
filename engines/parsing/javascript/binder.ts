import type { Class, Node, ObjectExpression } from 'oxc-parser'
import type { SymbolKind } from '../schema.ts'
import type { FactsBuilder } from '../facts-builder.ts'
import { lineCounter } from './lines.ts'
import { boundNames } from './modules.ts'
import { recordKept, recordReferences, recordValues } from './references.ts'
import { forEachChild, isFunction, keyName, unwrap, wrappedArgument } from './syntax.ts'

/** The name that a value gets from what it is assigned to. */
export interface Binding {
  name: string
  kind: SymbolKind
  start: number
  end: number
  exported: boolean | string
  /** See `SymbolFact.implicit`. */
  implicit?: boolean
}

/** Gives functions, classes and the functions in objects the names of what they are bound to. */
export class Binder {
  /** Names for functions and objects that sit inside a wrapping call. */
  readonly wrapped = new Map<Node, Binding>()
  readonly #facts: FactsBuilder
  readonly #source: string
  readonly #lineOf: (offset: number) => number
  readonly #walk: (node: Node) => void

  constructor(facts: FactsBuilder, source: string, walk: (node: Node) => void) {
    this.#facts = facts
    this.#source = source
    this.#lineOf = lineCounter(source)
    this.#walk = walk
  }

  /** Walks a value that has a name: functions, classes and objects take it, everything else does not need one. */
  bind(raw: Node, binding: Binding): void {
    const value = unwrap(raw)
    if (isFunction(value) || value.type === 'FunctionDeclaration') {
      const around = this.#facts.scope
      this.#facts.open({
        ...this.#symbolStart(binding, binding.start),
        // Objects that are handed over at once hold callbacks more often than code of their own.
        onlyIfBranching: around ? around.inFunction : binding.exported === false,
      })
      this.functionParts(value)
      return this.#facts.close()
    }
    if (value.type === 'ClassExpression' || value.type === 'ClassDeclaration') return this.class(value, binding)
    if (value.type === 'ObjectExpression') {
      this.#facts.openNamespace(binding.name, binding.exported)
      this.properties(value, { exported: true, implicit: binding.implicit === true })
      return this.#facts.close()
    }
    if (!this.#facts.scope?.inFunction) {
      const wrapped = wrappedArgument(value)
      if (wrapped) this.wrapped.set(wrapped, binding)
    }
    recordKept(this.#facts, [value])
    this.#walk(value)
  }

  functionParts(node: Node): void {
    if (!('params' in node) || !('body' in node)) return
    forEachChild(node, (child) => {
      if (child !== node.body) {
        for (const name of boundNames(child)) this.#facts.uses.receivers?.assign(name, undefined)
        return this.#walk(child)
      }
      if (child.type === 'BlockStatement') return forEachChild(child, this.#walk)
      this.#facts.statement()
      recordKept(this.#facts, [child])
      this.result(child)
    })
  }

  /** What a function gives back: the functions of a returned object are known by their property names. */
  result(raw: Node): void {
    const value = unwrap(raw)
    if (value.type === 'ObjectExpression') this.properties(value, { exported: true, implicit: false })
    else this.#walk(value)
  }

  properties(node: ObjectExpression, members: { exported: boolean; implicit: boolean }): void {
    for (const property of node.properties) {
      if (property.type !== 'Property') {
        this.#walk(property)
        continue
      }
      if (property.computed) this.#walk(property.key)
      const name = keyName(property.key, property.computed)
      if (property.shorthand) recordValues(this.#facts, [property.value])
      if (name === undefined || property.shorthand) this.#walk(property.value)
      else {
        recordValues(this.#facts, [property.value])
        this.bind(property.value, {
          name,
          kind: 'method',
          start: property.start,
          end: property.end,
          exported: members.exported,
          implicit: members.implicit || property.kind !== 'init',
        })
      }
    }
  }

  class(node: Class, binding: Binding): void {
    const start = this.#afterDecorators(binding.start, node.decorators)
    this.#facts.open({ ...this.#symbolStart({ ...binding, kind: 'class' }, start), bases: basesOf(node) })
    this.classBody(node)
    this.#facts.close()
  }

  classBody(node: Class): void {
    for (const decorator of node.decorators) this.#walk(decorator)
    if (node.superClass) {
      recordReferences(this.#facts, node)
      this.#walk(node.superClass)
    }
    for (const member of node.body.body) {
      if (member.type === 'StaticBlock') {
        forEachChild(member, this.#walk)
        continue
      }
      if (member.type === 'TSIndexSignature' || !member.value) continue
      if (member.value.type === 'TSEmptyBodyFunctionExpression') continue
      for (const decorator of member.decorators) this.#walk(decorator)
      if (member.computed) this.#walk(member.key)
      if (member.type !== 'MethodDefinition') this.#facts.statement()
      const name = keyName(member.key, member.computed)
      if (name === undefined) {
        this.#walk(member.value)
        continue
      }
      const hidden = member.key.type === 'PrivateIdentifier' || (member.accessibility ?? 'public') !== 'public'
      this.bind(member.value, {
        name,
        kind: 'method',
        start: this.#afterDecorators(member.start, member.decorators),
        end: member.end,
        exported: !hidden,
        implicit:
          member.decorators.length > 0 ||
          (member.type === 'MethodDefinition' && (member.kind === 'get' || member.kind === 'set')),
      })
    }
  }

  local(name: string, node: Node): Binding {
    return { name, kind: 'function', start: node.start, end: node.end, exported: name }
  }

  #symbolStart(binding: Binding, start: number) {
    return {
      name: binding.name,
      kind: binding.kind,
      startLine: this.#lineOf(start),
      endLine: this.#lineOf(Math.max(binding.end - 1, start)),
      exported: binding.exported,
      implicit: binding.implicit === true,
    }
  }

  #afterDecorators(start: number, decorators: readonly { end: number }[]): number {
    const last = decorators.at(-1)
    if (!last || last.end <= start) return start
    const blank = /(?:\s|\/\/.*|\/\*[^]*?\*\/)*/y
    blank.lastIndex = last.end
    return last.end + (blank.exec(this.#source)?.[0].length ?? 0)
  }
}

/** What a class extends and implements: `Base` of `lib.Base` and of `mixin(Base)`. */
function basesOf({ superClass, implements: contracts }: Class): string[] {
  const bases: string[] = []
  const add = (node: Node) => {
    if (node.type === 'Identifier') bases.push(node.name)
    else if (node.type === 'MemberExpression' && node.property.type === 'Identifier') bases.push(node.property.name)
    else if (node.type === 'CallExpression') for (const argument of node.arguments) add(argument)
  }
  if (superClass) add(unwrap(superClass))
  for (const { expression } of contracts ?? []) {
    if (expression.type === 'Identifier') bases.push(expression.name)
    else if (expression.type === 'MemberExpression' && expression.property.type === 'Identifier')
      bases.push(expression.property.name)
  }
  return bases
}
