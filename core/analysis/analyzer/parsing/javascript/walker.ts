import type { AssignmentExpression, Class, Node, ObjectExpression, Program, VariableDeclaration } from 'oxc-parser'
import type { SymbolKind } from '../../../schema.ts'
import type { FactsBuilder } from '../facts-builder.ts'
import { lineCounter } from './lines.ts'
import { exportTarget, loadedSpecifier, ModuleFacts, starExport } from './modules.ts'
import { recordReferences } from './references.ts'
import { assignmentChain, forEachChild, isFunction, keyName, memberPath, unwrap, wrappedArgument } from './syntax.ts'

/** The name that a value gets from what it is assigned to. */
interface Binding {
  name: string
  kind: SymbolKind
  start: number
  end: number
  exported: boolean | string
}

/** Walks one ESTree program and hands what it declares and refers to over to the builder. */
export class Walker {
  readonly #facts: FactsBuilder
  readonly #modules: ModuleFacts
  readonly #source: string
  readonly #lineOf: (offset: number) => number
  /** Names for functions and objects that sit inside a wrapping call. */
  readonly #wrapped = new Map<Node, Binding>()
  #namespaceDepth = 0

  constructor(facts: FactsBuilder, source: string) {
    this.#facts = facts
    this.#modules = new ModuleFacts(facts)
    this.#source = source
    this.#lineOf = lineCounter(source)
  }

  program(program: Program): void {
    for (const statement of program.body) this.#walk(statement)
    this.#modules.finish()
  }

  readonly #walk = (node: Node): void => {
    const facts = this.#facts
    switch (node.type) {
      case 'Identifier':
      case 'Literal':
        return
      case 'ImportDeclaration':
        return this.#modules.importDeclaration(node)
      case 'TSImportEqualsDeclaration':
        return this.#modules.importEquals(node)
      case 'ExportAllDeclaration':
        return this.#modules.exportAll(node)
      case 'ExportNamedDeclaration':
        if (node.declaration) return this.#declaration(node.declaration, node.start, true)
        return this.#modules.exportSpecifiers(node)
      case 'ExportDefaultDeclaration':
        return this.#exportDefault(node.declaration, node.start)
      case 'TSExportAssignment':
        return this.#exportDefault(node.expression, node.start)
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
      case 'ClassDeclaration':
      case 'VariableDeclaration':
      case 'TSModuleDeclaration':
      case 'TSEnumDeclaration':
        return this.#declaration(node, node.start, false)

      case 'FunctionExpression':
      case 'ArrowFunctionExpression': {
        const name = node.type === 'FunctionExpression' ? node.id?.name : undefined
        const binding = this.#wrapped.get(node) ?? (name && this.#local(name, node))
        return binding ? this.#bind(node, binding) : this.#functionParts(node)
      }
      case 'ClassExpression':
        if (node.id) return this.#class(node, this.#local(node.id.name, node))
        return this.#classBody(node)
      case 'ObjectExpression': {
        const binding = this.#wrapped.get(node)
        if (binding) return this.#bind(node, binding)
        if (facts.scope) break
        return this.#properties(node, false)
      }

      case 'ExpressionStatement':
        if (!node.directive) facts.statement()
        return this.#walk(node.expression)
      case 'ReturnStatement':
        facts.statement()
        return node.argument ? this.#result(node.argument) : undefined
      case 'IfStatement':
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        facts.statement()
        facts.branch()
        break
      case 'SwitchStatement':
      case 'TryStatement':
      case 'ThrowStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'WithStatement':
      case 'DebuggerStatement':
        facts.statement()
        break
      case 'SwitchCase':
        if (node.test) facts.branch()
        break
      case 'CatchClause':
      case 'ConditionalExpression':
      case 'LogicalExpression':
        facts.branch()
        break
      case 'AssignmentExpression':
        return this.#assignment(node)
      case 'MemberExpression': {
        const specifier = loadedSpecifier(node.object)
        if (specifier === undefined || node.property.type !== 'Identifier') break
        return facts.import({ specifier, names: [node.property.name] })
      }
      case 'ImportExpression':
        if (!this.#modules.load(node)) break
        return
      case 'CallExpression': {
        if (this.#modules.load(node)) return
        const star = starExport(node)
        if (star !== undefined) return this.#modules.passOn('*', star, '*')
        recordReferences(facts, node)
        break
      }
      case 'NewExpression':
      case 'TaggedTemplateExpression':
      case 'JSXOpeningElement':
      case 'Decorator':
        recordReferences(facts, node)
        break
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
        return this.#walk(node.expression)
      case 'TSParameterProperty':
      case 'TSModuleBlock':
        break
      default:
        if (node.type.startsWith('TS')) return
    }
    forEachChild(node, this.#walk)
  }

  #declaration(node: Node, start: number, exported: boolean): void {
    // Inside `namespace` a declaration is visible by its own `export`, not by name at the end of the module.
    const visible = (name: string) => (this.#namespaceDepth > 0 ? exported : name)
    const announce = (name: string) => {
      if (exported && this.#namespaceDepth === 0) this.#modules.exportLocal(name, name)
    }
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'TSDeclareFunction': {
        const name = node.id?.name ?? 'default'
        announce(name)
        if (node.body) this.#bind(node, { name, kind: 'function', start, end: node.end, exported: visible(name) })
        return
      }
      case 'ClassDeclaration': {
        const name = node.id?.name ?? 'default'
        announce(name)
        if (!node.declare) this.#class(node, { name, kind: 'class', start, end: node.end, exported: visible(name) })
        return
      }
      case 'VariableDeclaration':
        if (exported && this.#namespaceDepth === 0) {
          for (const { id } of node.declarations) this.#modules.exportBinding(id)
        }
        return this.#variables(node, start, visible)
      case 'TSModuleDeclaration': {
        const name = node.id.type === 'Literal' ? undefined : qualifiedName(node.id)
        if (!name || node.declare || node.kind === 'global' || !node.body) return
        announce(name)
        this.#facts.openNamespace(name, visible(name))
        this.#namespaceDepth += 1
        forEachChild(node.body, this.#walk)
        this.#namespaceDepth -= 1
        return this.#facts.close()
      }
      case 'TSEnumDeclaration':
        announce(node.id.name)
        return forEachChild(node.body, (member) => forEachChild(member, this.#walk))
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        return announce(node.id.name)
      default:
        return this.#walk(node)
    }
  }

  #variables(node: VariableDeclaration, start: number, visible: (name: string) => boolean | string): void {
    if (node.declare) return
    for (const declarator of node.declarations) {
      const { id, init } = declarator
      if (id.type !== 'Identifier') this.#walk(id)
      if (!init) continue
      this.#facts.statement()
      const value = unwrap(init)
      if (this.#modules.load(value, id)) continue
      if (id.type !== 'Identifier') {
        this.#walk(value)
        continue
      }
      const only = node.declarations.length === 1
      const assigned = assignmentChain(value)
      for (const target of assigned.targets) {
        const name = exportTarget(target)
        if (name !== undefined) this.#modules.exportLocal(name || 'default', id.name)
      }
      this.#bind(assigned.value, {
        name: id.name,
        kind: 'function',
        start: only ? start : declarator.start,
        end: declarator.end,
        exported: visible(id.name),
      })
    }
  }

  #exportDefault(raw: Node, start: number): void {
    const value = unwrap(raw)
    if (value.type === 'Identifier') return this.#modules.exportLocal('default', value.name)
    if ('id' in value && value.id?.type === 'Identifier') {
      this.#modules.exportLocal('default', value.id.name)
      return this.#declaration(value, start, false)
    }
    const specifier = loadedSpecifier(value)
    if (specifier !== undefined) return this.#modules.passOn('default', specifier, 'default')
    this.#facts.export({ name: 'default' })
    this.#bind(value, { name: 'default', kind: 'function', start, end: value.end, exported: true })
  }

  /** Walks a value that has a name: functions, classes and objects take it, everything else does not need one. */
  #bind(raw: Node, binding: Binding): void {
    const value = unwrap(raw)
    if (isFunction(value) || value.type === 'FunctionDeclaration') {
      const around = this.#facts.scope
      this.#facts.open({
        ...this.#symbolStart(binding, binding.start),
        onlyIfBranching: around ? around.inFunction : false,
      })
      this.#functionParts(value)
      return this.#facts.close()
    }
    if (value.type === 'ClassExpression' || value.type === 'ClassDeclaration') return this.#class(value, binding)
    if (value.type === 'ObjectExpression') {
      this.#facts.openNamespace(binding.name, binding.exported)
      this.#properties(value, true)
      return this.#facts.close()
    }
    if (!this.#facts.scope?.inFunction) {
      const wrapped = wrappedArgument(value)
      if (wrapped) this.#wrapped.set(wrapped, binding)
    }
    this.#walk(value)
  }

  #functionParts(node: Node): void {
    if (!('params' in node) || !('body' in node)) return
    forEachChild(node, (child) => {
      if (child !== node.body) return this.#walk(child)
      if (child.type === 'BlockStatement') return forEachChild(child, this.#walk)
      this.#facts.statement()
      this.#result(child)
    })
  }

  /** What a function gives back: the functions of a returned object are known by their property names. */
  #result(raw: Node): void {
    const value = unwrap(raw)
    if (value.type === 'ObjectExpression') this.#properties(value, true)
    else this.#walk(value)
  }

  #properties(node: ObjectExpression, exported: boolean): void {
    for (const property of node.properties) {
      if (property.type !== 'Property') {
        this.#walk(property)
        continue
      }
      if (property.computed) this.#walk(property.key)
      const name = keyName(property.key, property.computed)
      if (name === undefined || property.shorthand) this.#walk(property.value)
      else
        this.#bind(property.value, { name, kind: 'method', start: property.start, end: property.end, exported })
    }
  }

  #class(node: Class, binding: Binding): void {
    const start = this.#afterDecorators(binding.start, node.decorators)
    this.#facts.open({ ...this.#symbolStart({ ...binding, kind: 'class' }, start) })
    this.#classBody(node)
    this.#facts.close()
  }

  #classBody(node: Class): void {
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
      this.#bind(member.value, {
        name,
        kind: 'method',
        start: this.#afterDecorators(member.start, member.decorators),
        end: member.end,
        exported: !hidden,
      })
    }
  }

  #assignment(node: AssignmentExpression): void {
    if (['&&=', '||=', '??='].includes(node.operator)) this.#facts.branch()
    const { targets, value } = assignmentChain(node)
    const exported = targets.map(exportTarget).find((name) => name !== undefined)
    if (exported !== undefined) return this.#exportAssigned(exported, value, node)

    const path = memberPath(node.left)
    if (!path) return forEachChild(node, this.#walk)
    const inFunction = this.#facts.scope?.inFunction === true
    const onThis = path[0] === 'this'
    const named = path.filter((part) => part !== 'prototype' && part !== 'this')
    const root = named[0]
    // Within functions a property that is assigned to belongs to a value that only the function knows.
    if (root === undefined || (inFunction && path.length > 1 && !onThis)) return this.#walk(node.right)
    const kind = path.length > 1 ? 'method' : 'function'
    this.#bind(node.right, { name: named.join('.'), kind, start: node.start, end: node.end, exported: onThis || root })
  }

  /** `exports.name = …`, or `module.exports = …` when the name is empty. */
  #exportAssigned(name: string, value: Node, node: Node): void {
    const specifier = loadedSpecifier(value)
    if (specifier !== undefined) return this.#modules.passOn(name || '*', specifier, '*')
    if (name === '') {
      if (value.type === 'ObjectExpression') return this.#exportObject(value)
      return this.#exportDefault(value, node.start)
    }
    this.#exportValue(name, value, node)
  }

  #exportValue(name: string, value: Node, node: Node): void {
    if (value.type === 'Identifier' && value.name !== 'undefined') return this.#modules.exportLocal(name, value.name)
    if (value.type === 'MemberExpression' && value.property.type === 'Identifier') {
      const specifier = loadedSpecifier(value.object)
      if (specifier !== undefined) return this.#modules.passOn(name, specifier, value.property.name)
    }
    this.#facts.export({ name })
    this.#bind(value, { name, kind: 'function', start: node.start, end: node.end, exported: true })
  }

  /** The properties of `module.exports = { … }` are the module's exports. */
  #exportObject(node: ObjectExpression): void {
    for (const property of node.properties) {
      const value = unwrap(property.type === 'Property' ? property.value : property.argument)
      const name = property.type === 'Property' ? keyName(property.key, property.computed) : '*'
      const specifier = loadedSpecifier(value)
      if (name !== undefined && specifier !== undefined) this.#modules.passOn(name, specifier, '*')
      else if (name === undefined || name === '*') this.#walk(value)
      else this.#exportValue(name, value, property)
    }
  }

  #local(name: string, node: Node): Binding {
    return { name, kind: 'function', start: node.start, end: node.end, exported: name }
  }

  #symbolStart(binding: Binding, start: number) {
    return {
      name: binding.name,
      kind: binding.kind,
      startLine: this.#lineOf(start),
      endLine: this.#lineOf(Math.max(binding.end - 1, start)),
      exported: binding.exported,
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

function qualifiedName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'TSQualifiedName') return undefined
  const left = qualifiedName(node.left)
  return left && `${left}.${node.right.name}`
}
