import type { Node } from 'web-tree-sitter'
import { branches, type Grammar, statements } from './grammar.ts'
import { declaredAfter } from './modifiers.ts'
import type { Walk } from './walk.ts'

export const php: Grammar = {
  wasm: 'php',
  rules: [
    { visit: '(namespace_definition name: (namespace_name) @it)', by: namespaceDefinition },
    { visit: '(namespace_use_declaration) @it', by: useDeclaration },
    {
      visit: '[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @it',
      by: includeExpression,
    },
    { visit: '[(class_declaration) (trait_declaration) (enum_declaration)] @it', by: classDeclaration },
    { visit: '(interface_declaration) @it', by: interfaceDeclaration },
    { visit: '(method_declaration) @it', by: methodDeclaration },
    { visit: '(function_definition) @it', by: functionDefinition },

    ...branches('if_statement', 'else_if_clause', 'for_statement', 'foreach_statement', 'while_statement'),
    ...branches('do_statement', 'case_statement', 'catch_clause', 'conditional_expression'),
    ...branches('match_conditional_expression'),
    { branch: '(binary_expression operator: ["&&" "||" "and" "or" "??"] @it)' },
    { branch: '(augmented_assignment_expression operator: "??=" @it)' },

    ...statements('expression_statement', 'return_statement', 'if_statement', 'for_statement', 'foreach_statement'),
    ...statements('while_statement', 'do_statement', 'switch_statement', 'break_statement', 'continue_statement'),
    ...statements('try_statement', 'echo_statement', 'unset_statement', 'goto_statement', 'global_declaration'),
    ...statements('function_static_declaration'),
    { statement: '(arrow_function body: (_) @it)' },

    {
      visit: '(array_creation_expression . (array_element_initializer) . (array_element_initializer (_) @it) .)',
      by: callable,
    },
    { visit: '(argument (string) @it)', by: callable },
    {
      visit:
        '(member_call_expression object: (variable_name) name: [(variable_name) (binary_expression) (encapsed_string)]) @it',
      by: variableMethod,
    },

    { reference: '(function_call_expression function: (name) @it)' },
    { reference: '(function_call_expression function: (qualified_name (name) @it))' },
    { reference: '(member_call_expression name: (name) @it)' },
    { reference: '(nullsafe_member_call_expression name: (name) @it)' },
    { reference: '(scoped_call_expression name: (name) @it)' },
    { reference: '(scoped_call_expression scope: (name) @it)' },
    { reference: '(scoped_call_expression scope: (qualified_name (name) @it))' },
    { reference: '(class_constant_access_expression . (name) @it)' },
    { reference: '(class_constant_access_expression . (qualified_name (name) @it))' },
    { reference: '(object_creation_expression (name) @it)' },
    { reference: '(object_creation_expression (qualified_name (name) @it))' },
    { reference: '(base_clause (name) @it)' },
    { reference: '(base_clause (qualified_name (name) @it))' },
    { reference: '(class_interface_clause (name) @it)' },
    { reference: '(use_declaration (name) @it)' },
    // Classes of the same namespace need no use: the types that a file names are what it depends on.
    { reference: '(named_type (name) @it)' },
  ],
}

const attributes = new Set(['attribute_list', 'comment'])

function namespaceDefinition(node: Node, walk: Walk): void {
  walk.facts.namespace ??= walk.text(node)
}

function useDeclaration(node: Node, walk: Walk): void {
  const group = node.childForFieldName('body')
  const prefix = group && node.namedChildren.find((child) => child.type === 'namespace_name')
  for (const clause of (group ?? node).namedChildren) {
    if (clause.type !== 'namespace_use_clause') continue
    const target = clause.firstNamedChild
    if (!target) continue
    const path = (prefix ? `${walk.text(prefix)}\\${walk.text(target)}` : walk.text(target)).replace(/^\\/, '')
    walk.facts.import({ specifier: path, names: [path.slice(path.lastIndexOf('\\') + 1)] })
  }
}

/** Files included by a literal path, or by one that starts at the file's own directory. */
function includeExpression(node: Node, walk: Walk): void {
  let expression = node.firstNamedChild
  while (expression?.type === 'parenthesized_expression') expression = expression.firstNamedChild
  if (!expression) return
  const literal = /^(?:(__DIR__|dirname\(__FILE__\))|(dirname\(__DIR__\)))?\s*(?:\.\s*)?(['"])([^'"$]+)\3$/
  const [, here, above, , path] = walk.text(expression).match(literal) ?? []
  if (!path) return
  const relative = path.replace(/^\/+/, '')
  const specifier = here ? `./${relative}` : above ? `../${relative}` : path
  walk.facts.import({ specifier, names: [] })
}

/** `[$this, 'compare']`, `'compare'` and `'Cart::compare'` name functions. */
function callable(node: Node, walk: Walk): void {
  if (node.type !== 'string') return
  const [, name] = /^'(?:\w+::)?(\w+)'$/.exec(walk.text(node)) ?? []
  if (name) walk.facts.uses.value(name)
}

/** `$this->$name()` and `$this->{'on' . $name}()`. */
function variableMethod(node: Node, walk: Walk): void {
  if (walk.fieldText(node, 'object') !== '$this') return
  const [, prefix = ''] = /^["'](\w+)/.exec(walk.fieldText(node, 'name') ?? '') ?? []
  walk.facts.uses.dispatch(prefix)
}

function classDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  const bases = node.namedChildren
    .filter(({ type }) => type === 'base_clause' || type === 'class_interface_clause')
    .flatMap(({ namedChildren }) => namedChildren.map((base) => walk.text(base).replace(/^.*\\/s, '')))
  walk.open(node, { name, kind: 'class', exported: true, from: declaredAfter(node, attributes), bases })
}

function interfaceDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  if (!walk.facts.scope) walk.facts.export({ name })
  walk.openNamespace(node, name, true)
}

function methodDeclaration(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  // Methods of `new class {…}` count to whatever they are written in.
  if (!name || !node.childForFieldName('body') || node.parent?.parent?.type === 'anonymous_class') return
  const visibility = node.children.find((child) => child.type === 'visibility_modifier')
  walk.open(node, {
    name,
    kind: 'method',
    exported: !visibility || walk.text(visibility) === 'public',
    from: declaredAfter(node, attributes),
    // An attribute is how a framework finds what it calls.
    implicit: node.namedChildren.some(({ type }) => type === 'attribute_list'),
  })
}

function functionDefinition(node: Node, walk: Walk): void {
  const name = walk.fieldText(node, 'name')
  if (!name) return
  const around = walk.facts.scope
  if (!around) walk.facts.export({ name })
  walk.open(node, {
    name,
    kind: 'function',
    exported: true,
    from: declaredAfter(node, attributes),
    onlyIfBranching: around?.inFunction === true,
  })
}
