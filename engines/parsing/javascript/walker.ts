import type { AssignmentExpression, Node, ObjectExpression, Program, VariableDeclaration } from 'oxc-parser'
import type { FactsBuilder } from '../facts-builder.ts'
import { Binder } from './binder.ts'
import { namelessModule } from './file-name.ts'
import { boundNames, exportTarget, loadedSpecifier, loadsModules, ModuleFacts, starExport } from './modules.ts'
import { callComputed, recordComputed, recordKept, recordReferences, recordValues } from './references.ts'
import { ownProperty, rootOf } from './roots.ts'
import { assignmentChain, forEachChild, keyName, memberPath, unwrap } from './syntax.ts'

/** Walks one ESTree program and hands what it declares and refers to over to the builder. */
export class Walker {
  readonly #facts: FactsBuilder
  readonly #modules: ModuleFacts
  readonly #binder: Binder
  #namespaceDepth = 0

  constructor(facts: FactsBuilder, source: string) {
    this.#facts = facts
    this.#modules = new ModuleFacts(facts)
    this.#binder = new Binder(facts, source, (node) => this.#walk(node))
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
        const wrapped = this.#binder.wrapped.get(node)
        if (wrapped) return this.#binder.bind(node, wrapped)
        // A function expression with a name of its own is handed to something that calls it.
        if (name) return this.#binder.bind(node, { ...this.#binder.local(name, node), implicit: true })
        return this.#binder.functionParts(node)
      }
      case 'ClassExpression':
        if (node.id) return this.#binder.class(node, this.#binder.local(node.id.name, node))
        return this.#binder.classBody(node)
      case 'ObjectExpression': {
        const binding = this.#binder.wrapped.get(node)
        // The function that takes the object may call its members.
        if (binding) return this.#binder.bind(node, { ...binding, implicit: true })
        if (facts.scope) break
        return this.#binder.properties(node, { exported: false, implicit: true })
      }

      case 'ExpressionStatement':
        if (!node.directive) facts.statement()
        return this.#walk(node.expression)
      case 'ReturnStatement':
        facts.statement()
        recordValues(facts, [node.argument])
        return node.argument ? this.#binder.result(node.argument) : undefined
      case 'ForInStatement':
      case 'ForOfStatement':
        for (const { id } of node.left.type === 'VariableDeclaration' ? node.left.declarations : []) {
          for (const name of boundNames(id)) facts.uses.receivers?.assign(name, undefined)
        }
        facts.statement()
        facts.branch()
        break
      case 'IfStatement':
      case 'ForStatement':
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
        for (const name of boundNames(node.param)) facts.uses.receivers?.assign(name, undefined)
        facts.branch()
        break
      case 'ConditionalExpression':
        facts.branch()
        recordKept(facts, [node.consequent, node.alternate])
        break
      case 'LogicalExpression':
        facts.branch()
        // `a && b` only tests `a`.
        recordKept(facts, node.operator === '&&' ? [node.right] : [node.left, node.right])
        break
      case 'AssignmentPattern':
        recordKept(facts, [node.right])
        break
      case 'AssignmentExpression':
        return this.#assignment(node)
      case 'ArrayExpression':
        recordValues(facts, node.elements)
        break
      case 'Property':
        recordValues(facts, [node.value])
        break
      case 'MemberExpression': {
        // A private member is an accessor or a method of this class, which nothing else can name.
        if (node.property.type === 'PrivateIdentifier') facts.uses.value(`#${node.property.name}`)
        if (node.computed) recordComputed(facts, node)
        // A property of a bare `import()` belongs to the promise, not to the module.
        const specifier = node.object.type === 'ImportExpression' ? undefined : loadedSpecifier(node.object)
        if (specifier === undefined || node.property.type !== 'Identifier') break
        return facts.import({ specifier, names: [node.property.name] })
      }
      case 'ImportExpression':
        if (this.#modules.load(node)) return
        this.#modules.loadSome(node.source)
        break
      case 'CallExpression': {
        if (this.#modules.load(node)) return
        this.#modules.folder(node)
        if (loadsModules(node)) this.#modules.loadSome(node.arguments[0])
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
        if (node.body)
          this.#binder.bind(node, { name, kind: 'function', start, end: node.end, exported: visible(name) })
        return
      }
      case 'ClassDeclaration': {
        const name = node.id?.name ?? 'default'
        announce(name)
        if (!node.declare)
          this.#binder.class(node, { name, kind: 'class', start, end: node.end, exported: visible(name) })
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
      for (const name of boundNames(id)) this.#facts.uses.receivers?.assign(name, rootOf(value))
      if (id.type === 'Identifier') callComputed(this.#facts, value, id.name)
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
      this.#binder.bind(assigned.value, {
        name: id.name,
        kind: 'function',
        start: only ? start : declarator.start,
        end: declarator.end,
        exported: visible(id.name),
      })
    }
  }

  #exportDefault(raw: Node, start: number, local?: string): void {
    const value = unwrap(raw)
    if (value.type === 'Identifier') return this.#modules.exportLocal('default', value.name)
    if ('id' in value && value.id?.type === 'Identifier') {
      this.#modules.exportLocal('default', value.id.name)
      return this.#declaration(value, start, false)
    }
    const specifier = loadedSpecifier(value)
    if (specifier !== undefined) return this.#modules.passOn('default', specifier, 'default')
    this.#facts.export(local === undefined ? { name: 'default' } : { name: 'default', local })
    this.#binder.bind(value, { name: 'default', kind: 'function', start, end: value.end, exported: true })
  }

  #assignment(node: AssignmentExpression): void {
    if (['&&=', '||=', '??='].includes(node.operator)) {
      this.#facts.branch()
      recordKept(this.#facts, [node.right])
    }
    const { targets, value } = assignmentChain(node)
    const exported = targets.map(exportTarget).find((name) => name !== undefined)
    if (exported !== undefined) return this.#exportAssigned(exported, value, node)

    recordValues(this.#facts, [value])
    for (const target of targets) {
      const name = target.type === 'Identifier' ? target.name : ownProperty(target)?.name
      if (name !== undefined) this.#facts.uses.receivers?.assign(name, rootOf(value))
    }
    const path = memberPath(node.left)
    if (!path) return forEachChild(node, this.#walk)
    const inFunction = this.#facts.scope?.inFunction === true
    const onThis = path[0] === 'this'
    const named = path.filter((part) => part !== 'prototype' && part !== 'this')
    const root = named[0]
    // Within functions a property that is assigned to belongs to a value that only the function knows.
    if (root === undefined || (inFunction && path.length > 1 && !onThis)) return this.#walk(node.right)
    const kind = path.length > 1 ? 'method' : 'function'
    this.#binder.bind(node.right, {
      name: named.join('.'),
      kind,
      start: node.start,
      end: node.end,
      exported: onThis || root,
    })
  }

  /** `exports.name = …`, or `module.exports = …` when the name is empty. */
  #exportAssigned(name: string, value: Node, node: Node): void {
    const specifier = loadedSpecifier(value)
    if (specifier !== undefined) return this.#modules.passOn(name || '*', specifier, '*')
    if (name === '') {
      if (value.type === 'ObjectExpression') return this.#exportObject(value)
      return this.#exportDefault(value, node.start, namelessModule)
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
    this.#binder.bind(value, { name, kind: 'function', start: node.start, end: node.end, exported: true })
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
}

function qualifiedName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'TSQualifiedName') return undefined
  const left = qualifiedName(node.left)
  return left && `${left}.${node.right.name}`
}
