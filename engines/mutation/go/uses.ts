import { child, namedChildren, nodesOf, type SyntaxNode } from '../../parsing/syntax-tree.ts'

type Text = (node: SyntaxNode) => string

const functions = new Set(['function_declaration', 'method_declaration', 'func_literal'])

/** Counts the uses of names in a file, because Go does not compile unused variables and imports. */
export class Uses {
  readonly #byName = new Map<string, SyntaxNode[]>()
  readonly #text: Text

  constructor(root: SyntaxNode, text: Text) {
    this.#text = text
    for (const node of nodesOf(root)) {
      if (!isName(node)) continue
      const name = text(node)
      const same = this.#byName.get(name)
      if (same) same.push(node)
      else this.#byName.set(name, [node])
    }
  }

  /** Returns the names whose last use is in the node. Names of packages include the used member, `sort.Strings`. */
  lastIn(removed: SyntaxNode): string[] {
    const lost = new Set<string>()
    for (const node of nodesOf(removed)) {
      if (!isName(node)) continue
      const name = this.#text(node)
      const scope = scopeOf(node, name, this.#text)
      if (scope === 'parameter' || (scope && within(scope, removed))) continue
      if (scope) {
        if (!this.#isUsed(name, scope, removed)) lost.add(name)
      } else if (isQualifier(node) && !this.#isQualifierElsewhere(name, removed)) {
        lost.add(node.parent ? this.#text(node.parent) : name)
      }
    }
    return [...lost]
  }

  /** Assignments and declarations are not uses. In `x := x.y` the right `x` is another variable. */
  #isUsed(name: string, scope: SyntaxNode, removed: SyntaxNode): boolean {
    const declarations = declarationsIn(scope).flatMap((target) =>
      this.#text(target) === name && target.parent?.parent ? [target.parent.parent] : [],
    )
    return (this.#byName.get(name) ?? []).some((node) => {
      if (node.type !== 'identifier' || !within(node, scope) || within(node, removed)) return false
      if (declarations.some((declaration) => within(node, declaration))) return false
      return !isDeclaredOrGiven(node, this.#text) && scopeOf(node, name, this.#text) === scope
    })
  }

  #isQualifierElsewhere(name: string, removed: SyntaxNode): boolean {
    return (this.#byName.get(name) ?? []).some((node) => isQualifier(node) && !within(node, removed))
  }
}

const isName = ({ type }: SyntaxNode): boolean => type === 'identifier' || type === 'package_identifier'

function isDeclaredOrGiven({ field, parent }: SyntaxNode, text: Text): boolean {
  if (field === 'name' || parent?.field === 'alias') return true
  const operator = parent?.parent && child(parent.parent, 'operator')
  return parent?.field === 'left' && parent.type === 'expression_list' && (!operator || text(operator) === '=')
}

/** Returns the node that declares a local name; undefined for names of the package and imports. */
function scopeOf(node: SyntaxNode, name: string, text: Text): SyntaxNode | 'parameter' | undefined {
  for (let scope = node.parent; scope; scope = scope.parent) {
    if (functions.has(scope.type)) {
      const lists = scope.children.filter((part) => part.type === 'parameter_list')
      if (lists.some((list) => parameterNames(list, text).includes(name))) return 'parameter'
    }
    if (declarationsIn(scope).some((target) => text(target) === name)) return scope
  }
  return undefined
}

function parameterNames(list: SyntaxNode, text: Text): string[] {
  return namedChildren(list).flatMap((parameter) =>
    parameter.children.filter((part) => part.field === 'name').map(text),
  )
}

/** Returns the identifiers that a node declares for its contents. */
function declarationsIn(scope: SyntaxNode): SyntaxNode[] {
  return scope.children.flatMap((part) => {
    switch (part.type) {
      case 'short_var_declaration':
      case 'range_clause':
      case 'receive_statement':
        return namesOf(child(part, 'left'))
      case 'for_clause':
        return declarationsIn(part)
      case 'var_declaration':
        return namedChildren(part)
          .flatMap((one) => (one.type === 'var_spec' ? [one] : namedChildren(one)))
          .flatMap((spec) => spec.children.filter((one) => one.field === 'name' && one.type === 'identifier'))
      case 'expression_list':
        return part.field === 'alias' ? namesOf(part) : []
      default:
        return []
    }
  })
}

const namesOf = (list: SyntaxNode | undefined): SyntaxNode[] =>
  list ? namedChildren(list).filter((one) => one.type === 'identifier') : []

function isQualifier({ type, field, parent }: SyntaxNode): boolean {
  if (type === 'package_identifier') return parent?.type === 'qualified_type'
  return type === 'identifier' && field === 'operand' && parent?.type === 'selector_expression'
}

const within = (node: SyntaxNode, outer: SyntaxNode): boolean => node.start >= outer.start && node.end <= outer.end
