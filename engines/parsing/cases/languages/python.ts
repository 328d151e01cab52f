import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, messageOf, ofField, ofType, operatorOf, testLoop } from './shared.ts'

export const python: CaseLanguage = {
  blocks: new Set(['block', 'module']),
  wrappers: new Set(['else_clause', 'except_clause', 'parenthesized_expression']),
  functions: new Set(['function_definition', 'lambda']),
  not: 'not ',
  countsValues: false,
  constructs,
  ending,
  isReturned,
}

function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    if (parent.type === 'return_statement') return true
    if (parent.type === 'lambda') return inner.field === 'body'
    if (parent.type === 'parenthesized_expression' || parent.type === 'await') return undefined
    // The condition is the second of its three children.
    if (parent.type === 'conditional_expression' && namedChildren(parent)[1] !== inner) return undefined
    return false
  })
}

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  switch (node.type) {
    case 'if_statement':
    case 'elif_clause':
      return choice(node)
    case 'conditional_expression': {
      const [then, test, otherwise] = namedChildren(node)
      return then && test && otherwise
        ? [{ kind: 'choice', test, onTrue: then, onFalse: otherwise, isValue: true }]
        : []
    }
    case 'boolean_operator': {
      const left = child(node, 'left')
      const right = child(node, 'right')
      if (!left || !right || isTest(node)) return []
      if (operatorOf(node, tree) === 'or') {
        return [{ kind: 'fallback', value: left, state: 'is falsy', instead: right }]
      }
      return isReturned(node)
        ? [{ kind: 'short-circuit', test: left, isAnd: true, result: resultText(tree.text(left)) }]
        : []
    }
    case 'default_parameter':
    case 'typed_default_parameter': {
      const name = child(node, 'name')
      const instead = child(node, 'value')
      const owner = node.parent?.parent
      if (!name || !instead) return []
      const body = owner ? child(owner, 'body') : undefined
      return [{ kind: 'parameter', name, state: 'is not given', instead, body }]
    }
    case 'for_statement': {
      const over = child(node, 'right')
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'while_statement':
      return testLoop(node, child(node, 'condition'), tree)
    case 'match_statement': {
      const body = child(node, 'body')
      if (!body) return []
      const arms = ofType(body, 'case_clause').map((arm) => {
        const consequence = child(arm, 'consequence')
        const [pattern] = ofType(arm, 'case_pattern')
        const isDefault = pattern !== undefined && tree.text(pattern) === '_' && !child(arm, 'guard')
        const header = headerOf(arm, consequence, tree)
        return { node: arm, header, body: consequence ? [consequence] : [], isDefault }
      })
      return [{ kind: 'switch', head: headerOf(node, body, tree), arms, without: 'nothing' }]
    }
    case 'try_statement': {
      const tried = child(node, 'body')
      if (!tried) return []
      const handlers = ofType(node, 'except_clause', 'except_group_clause').flatMap((clause) => {
        const [body] = ofType(clause, 'block')
        return body ? [{ header: headerOf(clause, body, tree), body }] : []
      })
      return [{ kind: 'handlers', tried, handlers }]
    }
    case 'assert_statement': {
      const [test, message] = namedChildren(node)
      const isText = message?.type === 'string'
      return test
        ? [{ kind: 'guard', test, result: thrown('AssertionError', isText ? tree.text(message) : undefined) }]
        : []
    }
    case 'if_clause': {
      const [test] = namedChildren(node)
      return test && /comprehension|generator/.test(node.parent?.type ?? '') ? [{ kind: 'filter', test }] : []
    }
    default:
      return []
  }
}

/** The alternatives are children of the `if`; an `else` belongs to the last condition. */
function choice(node: SyntaxNode): Construct[] {
  const test = child(node, 'condition')
  if (!test) return []
  const statement = node.type === 'elif_clause' ? node.parent : node
  const alternatives = statement ? ofField(statement, 'alternative') : []
  const last = alternatives.at(-1)
  const elifs = last?.type === 'elif_clause' ? alternatives : alternatives.slice(0, -1)
  const isLast = (elifs.at(-1) ?? statement) === node
  const otherwise = !isLast ? 'chained' : last?.type === 'else_clause' ? (child(last, 'body') ?? null) : null
  return [{ kind: 'choice', test, onTrue: child(node, 'consequence') ?? null, onFalse: otherwise, isValue: false }]
}

/** Whether only the truth of a value counts. */
function isTest(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    if (parent.type === 'boolean_operator' || parent.type === 'parenthesized_expression') return undefined
    if (parent.type === 'not_operator' || parent.type === 'assert_statement' || parent.type === 'if_clause') return true
    if (parent.type === 'conditional_expression') return namedChildren(parent)[1] === inner
    return inner.field === 'condition'
  })
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'return_statement': {
      const [value] = namedChildren(node)
      if (!value) return { outcome: 'early_return' }
      return { outcome: 'returns', result: resultText(tree.text(value)) }
    }
    case 'raise_statement': {
      const [value] = namedChildren(node)
      if (!value) return { outcome: 'throws', result: 'the caught error' }
      const type = child(value, 'function')
      if (!type) return { outcome: 'throws', result: resultText(tree.text(value)) }
      return { outcome: 'throws', result: thrown(tree.text(type), messageOf(child(value, 'arguments'), tree)) }
    }
    case 'continue_statement':
    case 'break_statement':
      return { outcome: 'early_return', result: tree.text(node) }
    default:
      return undefined
  }
}
