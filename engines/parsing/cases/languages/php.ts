import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, inside, messageOf, ofField, ofType, operatorOf, shortCircuit, testLoop } from './shared.ts'

export const php: CaseLanguage = {
  blocks: new Set(['compound_statement', 'colon_block']),
  wrappers: new Set(['else_clause', 'parenthesized_expression']),
  functions: new Set(['function_definition', 'method_declaration', 'anonymous_function', 'arrow_function']),
  not: '!',
  countsValues: false,
  constructs,
  ending,
  isReturned,
}

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    switch (parent.type) {
      case 'return_statement':
        return true
      case 'arrow_function':
        return inner.field === 'body'
      case 'parenthesized_expression':
      case 'match_block':
      case 'match_conditional_expression':
      case 'match_default_expression':
        return inner.field === 'conditional_expressions' ? false : undefined
      case 'conditional_expression':
      case 'match_expression':
        return inner.field === 'condition' ? false : undefined
      default:
        return false
    }
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_statement':
    case 'else_if_clause':
      return choice(node)
    case 'conditional_expression': {
      const test = child(node, 'condition')
      const then = child(node, 'body')
      const otherwise = child(node, 'alternative')
      if (!test || !otherwise) return []
      if (!then) return [{ kind: 'fallback', value: test, state: 'is falsy', instead: otherwise }]
      return [{ kind: 'choice', test: inside(test), onTrue: then, onFalse: otherwise, isValue: true }]
    }
    case 'binary_expression':
    case 'augmented_assignment_expression':
      return operators(node, tree)
    case 'nullsafe_member_access_expression':
    case 'nullsafe_member_call_expression': {
      const value = child(node, 'object')
      return value && !isPartOfChain(node, tree) ? [{ kind: 'missing', value, state: 'is null', result: 'null' }] : []
    }
    case 'simple_parameter':
    case 'property_promotion_parameter': {
      const name = child(node, 'name')
      const instead = child(node, 'default_value')
      const owner = node.parent?.parent
      if (!name || !instead) return []
      const body = owner ? child(owner, 'body') : undefined
      return [{ kind: 'parameter', name, state: 'is not given', instead, body }]
    }
    case 'foreach_statement': {
      const over = namedChildren(node)[0]
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'for_statement':
    case 'while_statement':
      return testLoop(node, child(node, 'condition'), tree)
    case 'switch_statement': {
      const body = child(node, 'body')
      if (!body) return []
      const arms = ofType(body, 'case_statement', 'default_statement').map((arm) => {
        const value = child(arm, 'value')
        const rest = namedChildren(arm).filter((one) => one !== value)
        const header = { start: arm.start, end: value?.end ?? arm.start + 'default'.length }
        return { node: arm, header, body: rest, isDefault: !value, falls: true }
      })
      return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without: 'nothing' }]
    }
    case 'match_expression': {
      const body = child(node, 'body')
      if (!body) return []
      const arms = ofType(body, 'match_conditional_expression', 'match_default_expression').map((arm) => {
        const value = child(arm, 'return_expression')
        const isDefault = arm.type === 'match_default_expression'
        const header = child(arm, 'conditional_expressions') ?? headerOf(arm, value, tree)
        return { node: arm, header, body: value ? [value] : [], isDefault }
      })
      const without = { throws: 'UnhandledMatchError' }
      return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without }]
    }
    case 'try_statement': {
      const tried = child(node, 'body')
      if (!tried) return []
      const handlers = ofType(node, 'catch_clause').flatMap((clause) => {
        const body = child(clause, 'body')
        return body ? [{ header: headerOf(clause, body, tree), body }] : []
      })
      return [{ kind: 'handlers', tried, handlers }]
    }
    case 'function_call_expression': {
      const name = child(node, 'function')
      const args = child(node, 'arguments')
      const [first] = args ? ofType(args, 'argument') : []
      const [test] = first ? namedChildren(first) : []
      if (!test || !name || name.end - name.start > 10 || tree.text(name) !== 'assert') return []
      return [{ kind: 'guard', test, result: thrown('AssertionError', messageOf(args, tree)) }]
    }
    default:
      return []
  }
}

/** The rest of a chain gives the same result, and a default after it another one. */
function isPartOfChain(node: SyntaxNode, tree: SourceTree): boolean {
  return climb(node, (inner, parent) => {
    if (inner.field === 'object') return parent.type.startsWith('nullsafe') ? true : undefined
    if (parent.type === 'conditional_expression') return inner.field === 'condition' && !child(parent, 'body')
    return parent.type === 'binary_expression' && inner.field === 'left' && operatorOf(parent, tree) === '??'
  })
}

/** The alternatives are children of the `if`; an `else` belongs to the last condition. */
function choice(node: SyntaxNode): Construct[] {
  const test = child(node, 'condition')
  if (!test) return []
  const statement = node.type === 'else_if_clause' ? node.parent : node
  const alternatives = statement ? ofField(statement, 'alternative') : []
  const last = alternatives.at(-1)
  const clauses = last?.type === 'else_if_clause' ? alternatives : alternatives.slice(0, -1)
  const isLast = (clauses.at(-1) ?? statement) === node
  const body = last?.type === 'else_clause' ? (child(last, 'body') ?? null) : null
  const isChained = !isLast || body?.type === 'if_statement'
  const then = child(node, 'body') ?? null
  return [{ kind: 'choice', test: inside(test), onTrue: then, onFalse: isChained ? 'chained' : body, isValue: false }]
}

function operators(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  const value = child(node, 'left')
  const instead = child(node, 'right')
  const operator = operatorOf(node, tree)
  if (!value || !instead) return []
  if (operator === '??' || operator === '??=') {
    return [{ kind: 'fallback', value, state: 'is null or not set', instead }]
  }
  if ((operator === 'or' || operator === '||') && ending(instead, tree)) {
    return [{ kind: 'choice', test: value, onTrue: instead, onFalse: null, isValue: false, isNegated: true }]
  }
  return isReturned(node) ? shortCircuit(value, operator) : []
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'expression_statement': {
      const [only] = namedChildren(node)
      return only && /^(?:throw_expression|exit_statement|function_call_expression)$/.test(only.type)
        ? ending(only, tree)
        : undefined
    }
    case 'function_call_expression': {
      const name = child(node, 'function')
      const leaves = name !== undefined && name.end - name.start < 5 && /^(?:die|exit)$/.test(tree.text(name))
      return leaves ? { outcome: 'early_return', result: resultText(tree.text(node)) } : undefined
    }
    case 'return_statement': {
      const [value] = namedChildren(node)
      return value ? { outcome: 'returns', result: resultText(tree.text(value)) } : { outcome: 'early_return' }
    }
    case 'throw_expression': {
      const [value] = namedChildren(node)
      if (!value) return undefined
      const [type] = namedChildren(value)
      if (value.type !== 'object_creation_expression' || !type) {
        return { outcome: 'throws', result: resultText(tree.text(value)) }
      }
      const [args] = ofType(value, 'arguments')
      return { outcome: 'throws', result: thrown(tree.text(type), messageOf(args, tree)) }
    }
    case 'continue_statement':
    case 'break_statement':
    case 'exit_statement':
      return { outcome: 'early_return', result: resultText(tree.text(node).replace(/;$/, '')) }
    default:
      return undefined
  }
}
