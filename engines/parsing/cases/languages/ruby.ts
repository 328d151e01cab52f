import type { SourceTree } from '../../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../../syntax-tree.ts'
import { type CaseLanguage, climb, type Construct, type Ending } from '../construct.ts'
import { resultText, thrown } from '../text.ts'
import { headerOf, ofType, operatorOf, testLoop } from './shared.ts'

export const ruby: CaseLanguage = {
  blocks: new Set(['then', 'else', 'body_statement', 'do', 'block_body', 'ensure', 'begin']),
  wrappers: new Set(['parenthesized_statements']),
  functions: new Set(['method', 'singleton_method', 'block', 'do_block', 'lambda']),
  not: '!',
  countsValues: false,
  constructs,
  ending,
  isReturned,
}

const valued = new Set(['if', 'unless', 'elsif', 'case', 'when', 'in_clause', 'case_match', 'conditional', 'rescue'])
const sequences = new Set(['then', 'else', 'body_statement', 'begin', 'parenthesized_statements'])

/** A method returns the value of its last expression. */
function isReturned(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    switch (parent.type) {
      case 'return':
      case 'argument_list':
        return parent.type === 'return' ? true : parent.parent?.type === 'return' ? undefined : false
      case 'method':
      case 'singleton_method':
        return inner.field === 'body'
      case 'if_modifier':
      case 'unless_modifier':
        return inner.field === 'body' ? undefined : false
      default:
        if (sequences.has(parent.type)) {
          if (inner.type === 'rescue' || inner.type === 'else') return undefined
          return lastStatement(parent) === inner ? undefined : false
        }
        return valued.has(parent.type) && inner.field !== 'condition' && inner.field !== 'value' ? undefined : false
    }
  })
}

const clauses = new Set(['rescue', 'else', 'ensure'])

const lastStatement = (node: SyntaxNode): SyntaxNode | undefined =>
  namedChildren(node).findLast(({ type }) => !clauses.has(type))

function constructs(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  // Keywords have the types of the statements that they begin.
  if (!node.named) return []
  switch (node.type) {
    case 'if':
    case 'elsif':
    case 'unless':
    case 'conditional': {
      const test = child(node, 'condition')
      const otherwise = child(node, 'alternative')
      if (!test) return []
      return [
        {
          kind: 'choice',
          test,
          onTrue: child(node, 'consequence') ?? null,
          onFalse: otherwise?.type === 'elsif' ? 'chained' : (otherwise ?? null),
          isValue: node.type === 'conditional',
          isNegated: node.type === 'unless',
        },
      ]
    }
    case 'if_modifier':
    case 'unless_modifier': {
      const test = child(node, 'condition')
      const then = child(node, 'body') ?? null
      const isNegated = node.type === 'unless_modifier'
      return test ? [{ kind: 'choice', test, onTrue: then, onFalse: null, isValue: false, isNegated }] : []
    }
    case 'binary':
      return logical(node, tree)
    case 'operator_assignment': {
      const left = child(node, 'left')
      const right = child(node, 'right')
      if (!left || !right || operatorOf(node, tree) !== '||=') return []
      return [{ kind: 'fallback', value: left, state: 'is falsy', instead: right }]
    }
    case 'call': {
      const receiver = child(node, 'receiver')
      if (!receiver || operatorOf(node, tree) !== '&.' || isPartOfChain(node, tree)) return []
      return [{ kind: 'missing', value: receiver, state: 'is nil', result: 'nil' }]
    }
    case 'optional_parameter':
    case 'keyword_parameter': {
      const name = child(node, 'name')
      const instead = child(node, 'value')
      const owner = node.parent?.parent
      if (!name || !instead) return []
      const body = owner ? child(owner, 'body') : undefined
      return [{ kind: 'parameter', name, state: 'is not given', instead, body }]
    }
    case 'while':
      return testLoop(node, child(node, 'condition'), tree)
    case 'until':
      return testLoop(node, child(node, 'condition'), tree, true)
    case 'for': {
      const value = child(node, 'value')
      const [over] = value ? namedChildren(value) : []
      return over ? [{ kind: 'loop', over, body: child(node, 'body') }] : []
    }
    case 'case':
    case 'case_match':
      return choices(node, tree)
    case 'begin':
    case 'body_statement':
      return rescues(node, tree)
    case 'rescue_modifier': {
      const tried = child(node, 'body')
      const body = child(node, 'handler')
      if (!tried || !body) return []
      const keyword = node.children.find(({ type }) => type === 'rescue')
      return keyword ? [{ kind: 'handlers', tried, handlers: [{ header: keyword, body }] }] : []
    }
    default:
      return []
  }
}

function choices(node: SyntaxNode, tree: SourceTree): Construct[] {
  const arms = ofType(node, 'when', 'in_clause').map((arm) => {
    const body = child(arm, 'body')
    return { node: arm, header: headerOf(arm, body, tree), body: body ? [body] : [], isDefault: false }
  })
  const [otherwise] = ofType(node, 'else')
  if (otherwise) {
    const header = { start: otherwise.start, end: otherwise.start + 'else'.length }
    arms.push({ node: otherwise, header, body: [otherwise], isDefault: true })
  }
  const value = child(node, 'value')
  const head = { start: node.start, end: value?.end ?? node.start + 'case'.length }
  const without = node.type === 'case' ? 'nothing' : { throws: 'NoMatchingPatternError' }
  // An arm without statements gives nil; it does not go on with the next one.
  return [{ kind: 'switch', head, arms: arms.filter(({ body }) => body.length > 0), without }]
}

function rescues(node: SyntaxNode, tree: SourceTree): Construct[] {
  const handling = ofType(node, 'rescue')
  const tried = namedChildren(node).filter(({ type }) => !clauses.has(type))
  const [first] = tried
  const last = tried.at(-1)
  if (handling.length === 0 || !first || !last) return []
  const handlers = handling.flatMap((clause) => {
    const body = child(clause, 'body')
    return body ? [{ header: headerOf(clause, body, tree), body }] : []
  })
  const block = { ...node, type: 'body_statement', start: first.start, end: last.end, children: tried }
  return [{ kind: 'handlers', tried: block, handlers }]
}

function logical(node: SyntaxNode, tree: SourceTree): readonly Construct[] {
  const left = child(node, 'left')
  const right = child(node, 'right')
  const operator = operatorOf(node, tree)
  if (!left || !right || !/^(?:\|\||&&|and|or)$/.test(operator) || isTest(node)) return []
  const isOr = operator === '||' || operator === 'or'
  const leaving = ending(right, tree)
  if (leaving) {
    return [{ kind: 'choice', test: left, onTrue: right, onFalse: null, isValue: false, isNegated: isOr }]
  }
  if (isOr) return [{ kind: 'fallback', value: left, state: 'is falsy', instead: right }]
  return isReturned(node)
    ? [{ kind: 'short-circuit', test: left, isAnd: true, result: resultText(tree.text(left)) }]
    : []
}

/** The rest of a chain gives the same result, and a default after it another one. */
function isPartOfChain(node: SyntaxNode, tree: SourceTree): boolean {
  return climb(node, (inner, parent) => {
    const operator = operatorOf(parent, tree)
    if (inner.field === 'receiver') return operator === '&.' ? true : undefined
    return parent.type === 'binary' && inner.field === 'left' && /^(?:\|\||or)$/.test(operator)
  })
}

/** Whether only the truth of a value counts. */
function isTest(node: SyntaxNode): boolean {
  return climb(node, (inner, parent) => {
    if (parent.type === 'binary' || parent.type === 'parenthesized_statements') return undefined
    return parent.type === 'unary' || parent.type === 'not' || inner.field === 'condition'
  })
}

function ending(node: SyntaxNode, tree: SourceTree): Ending | undefined {
  switch (node.type) {
    case 'return': {
      const [value] = namedChildren(node)
      return value ? { outcome: 'returns', result: resultText(tree.text(value)) } : { outcome: 'early_return' }
    }
    case 'next':
    case 'break':
    case 'redo':
      return { outcome: 'early_return', result: resultText(tree.text(node)) }
    case 'identifier':
      return tree.text(node) === 'raise' ? { outcome: 'throws', result: 'the caught error' } : undefined
    case 'call': {
      const method = child(node, 'method')
      if (!method || child(node, 'receiver') || !/^(?:raise|fail)$/.test(tree.text(method))) return undefined
      return { outcome: 'throws', result: raised(node, tree) }
    }
    default:
      return undefined
  }
}

/** `raise "no"`, `raise ArgumentError, "no"` and `raise ArgumentError.new("no")`. */
function raised(node: SyntaxNode, tree: SourceTree): string {
  const args = child(node, 'arguments')
  const [type, message] = args ? namedChildren(args) : []
  if (!type) return 'the caught error'
  if (type.type === 'string') return thrown('RuntimeError', tree.text(type))
  if (type.type === 'call') {
    const receiver = child(type, 'receiver')
    const given = child(type, 'arguments')
    const [first] = given ? namedChildren(given) : []
    if (receiver) return thrown(tree.text(receiver), first?.type === 'string' ? tree.text(first) : undefined)
  }
  return thrown(resultText(tree.text(type)), message?.type === 'string' ? tree.text(message) : undefined)
}
