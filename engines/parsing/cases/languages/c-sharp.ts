import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, messageOf, ofType, operatorOf, shortCircuit, testLoop } from './shared.ts'

export const cSharp: CaseLanguage = {
  blocks: new Set(['block']),
  wrappers: new Set(['parenthesized_expression']),
  functions: new Set([
    'method_declaration',
    'constructor_declaration',
    'local_function_statement',
    'lambda_expression',
  ]),
  not: '!',
  countsValues: true,
  constructs,
  ending,
  isReturned,
}

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    switch (parent.type) {
      case 'return_statement':
      case 'arrow_expression_clause':
        return true
      case 'lambda_expression':
        return inner.field === 'body' && inner.type !== 'block'
      case 'parenthesized_expression':
      case 'await_expression':
      case 'cast_expression':
      case 'switch_expression_arm':
        return undefined
      case 'conditional_expression':
        return inner.field === 'condition' ? false : undefined
      case 'switch_expression':
        return inner.type === 'switch_expression_arm' ? undefined : false
      default:
        return false
    }
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_statement':
    case 'conditional_expression': {
      const test = child(node, 'condition')
      const otherwise = child(node, 'alternative')
      if (!test) return []
      return [
        {
          kind: 'choice',
          test,
          onTrue: child(node, 'consequence') ?? null,
          onFalse: otherwise?.type === 'if_statement' ? 'chained' : (otherwise ?? null),
          isValue: node.type === 'conditional_expression',
        },
      ]
    }
    case 'binary_expression':
    case 'assignment_expression': {
      const value = child(node, 'left')
      const instead = child(node, 'right')
      const operator = operatorOf(node, tree)
      if (value && instead && (operator === '??' || operator === '??=')) {
        return [{ kind: 'fallback', value, state: 'is null', instead }]
      }
      return node.type === 'binary_expression' && isReturned(node) ? shortCircuit(value, operator) : []
    }
    case 'conditional_access_expression': {
      const value = child(node, 'condition')
      return value && !isPartOfChain(node, tree) ? [{ kind: 'missing', value, state: 'is null', result: 'null' }] : []
    }
    case 'parameter': {
      const name = child(node, 'name')
      const sign = node.children.findIndex(({ type }) => type === '=')
      const instead = sign === -1 ? undefined : node.children[sign + 1]
      const owner = node.parent?.parent
      if (!name || !instead) return []
      const body = owner ? child(owner, 'body') : undefined
      return [{ kind: 'parameter', name, state: 'is not given', instead, body }]
    }
    case 'foreach_statement': {
      const over = child(node, 'right')
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'for_statement':
    case 'while_statement':
      return testLoop(node, child(node, 'condition'), tree)
    case 'switch_statement':
      return sections(node, tree)
    case 'switch_expression':
      return patterns(node, tree)
    case 'try_statement': {
      const tried = child(node, 'body')
      if (!tried) return []
      const handlers = ofType(node, 'catch_clause').flatMap((clause) => {
        const [body] = ofType(clause, 'block')
        return body ? [{ header: headerOf(clause, body, tree), body }] : []
      })
      return [{ kind: 'handlers', tried, handlers }]
    }
    case 'invocation_expression':
      return guards(node, tree)
    default:
      return []
  }
}

/** The rest of a chain gives the same result, and a default after it another one. */
function isPartOfChain(node: SyntaxNode, tree: SourceTree): boolean {
  return climb(node, (inner, parent) => {
    if (parent.type === 'conditional_access_expression') return true
    if (inner.field === 'expression' || inner.field === 'function') return undefined
    return parent.type === 'binary_expression' && inner.field === 'left' && operatorOf(parent, tree) === '??'
  })
}

function sections(node: SyntaxNode, tree: SourceTree): Construct[] {
  const body = child(node, 'body')
  if (!body) return []
  const arms = ofType(body, 'switch_section').map((arm) => {
    const colon = arm.children.findLastIndex(({ type }) => type === ':')
    const rest = arm.children.slice(colon + 1).filter(({ named }) => named)
    const isDefault = arm.children.some(({ type }) => type === 'default')
    return {
      node: arm,
      header: { start: arm.start, end: arm.children[colon]?.start ?? arm.end },
      body: rest,
      isDefault,
      falls: true,
    }
  })
  return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without: 'nothing' }]
}

function patterns(node: SyntaxNode, tree: SourceTree): Construct[] {
  const opening = node.children.find(({ type }) => type === '{')
  const arms = ofType(node, 'switch_expression_arm').map((arm) => {
    const arrow = arm.children.findIndex(({ type }) => type === '=>')
    const value = arm.children[arrow + 1]
    const isDefault = arm.children[0]?.type === 'discard' && arrow === 1
    const header = { start: arm.start, end: arm.children[arrow - 1]?.end ?? arm.end }
    return { node: arm, header, body: value ? [value] : [], isDefault }
  })
  // Whether the arms name every value is up to the type.
  return [{ kind: 'switch', head: headerOf(node, opening, tree), arms, without: 'impossible' }]
}

const throwIf: Readonly<Record<string, string>> = {
  ThrowIfNull: 'is null',
  ThrowIfNullOrEmpty: 'is null or empty',
  ThrowIfNullOrWhiteSpace: 'is null or blank',
  ThrowIfNegative: 'is negative',
  ThrowIfNegativeOrZero: 'is negative or zero',
  ThrowIfZero: 'is zero',
}

function guards(node: SyntaxNode, tree: SourceTree): Construct[] {
  const callee = child(node, 'function')
  const type = callee && child(callee, 'expression')
  const name = callee && child(callee, 'name')
  const args = child(node, 'arguments')
  const [first] = args ? ofType(args, 'argument') : []
  const [test] = first ? namedChildren(first) : []
  if (!type || !name || !test) return []
  const called = tree.text(name)
  const state = Object.hasOwn(throwIf, called) ? throwIf[called] : undefined
  return state ? [{ kind: 'guard', test, state, result: resultText(tree.text(type)) }] : []
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'return_statement': {
      const [value] = namedChildren(node)
      return value ? { outcome: 'returns', result: resultText(tree.text(value)) } : { outcome: 'early_return' }
    }
    case 'throw_statement':
    case 'throw_expression': {
      const [value] = namedChildren(node)
      if (!value) return { outcome: 'throws', result: 'the caught error' }
      const type = child(value, 'type')
      if (value.type !== 'object_creation_expression' || !type) {
        return { outcome: 'throws', result: resultText(tree.text(value)) }
      }
      return { outcome: 'throws', result: thrown(tree.text(type), messageOf(child(value, 'arguments'), tree)) }
    }
    case 'yield_statement':
      return node.children.some(({ type }) => type === 'break') ? { outcome: 'early_return' } : undefined
    case 'continue_statement':
    case 'break_statement':
    case 'goto_statement':
      return { outcome: 'early_return', result: resultText(tree.text(node).replace(/;$/, '')) }
    default:
      return undefined
  }
}
