import type { CallExpression, ForStatement, Node } from 'oxc-parser'
import { forEachChild, keyName, unwrap } from '../../parsing/javascript/syntax.ts'
import type { MutantList } from '../mutant-list.ts'
import { inverseArithmetic, inverseAssignment, isNeutral, opposite, strictness } from '../operators.ts'
import { JavaScriptChanges } from './changes.ts'
import { asks, calledBy, isLogging, isModuleWork, isWorthRemoving, slices } from './calls.ts'
import {
  type BinaryExpression,
  countsUpTo,
  isClock,
  isComparison,
  isEnvironment,
  isParity,
  namesIn,
  needsParentheses,
  guardsSameAtTie,
  sameAtTie,
} from './expressions.ts'
import { declaredKind, joinedNames, joins, writtenNumber } from './kinds.ts'
import { otherResult, type Result } from './returns.ts'

interface Context {
  result: Result
  /** Names in the conditions of the enclosing loops. */
  steers: ReadonlySet<string>
  /** Whether the node is inside a loop without a condition. */
  endless: boolean
  looping: boolean
}

const outside: Context = {
  result: { kind: 'unknown', async: false },
  steers: new Set(),
  endless: false,
  looping: false,
}

/** Nodes of TypeScript that contain executable code. */
const runs = new Set<string>([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSParameterProperty',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
])

/** Flags of property descriptors and listeners, which rarely have a visible effect. */
const quietFlags = new Set('enumerable configurable writable passive capture __esModule'.split(' '))

/** Finds the mutants of one program. */
export class JavaScriptFinder {
  readonly #list: MutantList
  readonly #changes: JavaScriptChanges
  /** Guards whose mutated boundary changes nothing. */
  readonly #tied = new Set<Node>()
  readonly #joined: ReadonlySet<string>

  constructor(list: MutantList, program: Node) {
    this.#list = list
    this.#changes = new JavaScriptChanges(list)
    this.#joined = joinedNames(program)
  }

  find(program: Node): void {
    this.#walk(program, outside)
  }

  #walk(node: Node, context: Context): void {
    if (!this.#list.touches(node)) return
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ImportExpression':
      case 'Decorator':
      case 'DebuggerStatement':
        return
      case 'ThrowStatement':
        if (!context.endless) this.#list.add('removed_throw', node, ';')
        return
      case 'VariableDeclaration':
      case 'ClassDeclaration':
        if (node.declare) return
        break
      case 'Literal':
        if (typeof node.value === 'boolean') this.#list.add('condition', node, String(!node.value))
        return
      case 'Property':
        if (quietFlags.has(keyName(node.key, node.computed) ?? '')) return
        break
      case 'JSXAttribute':
        if (node.name.type === 'JSXIdentifier' && /^(?:key|ref)$/.test(node.name.name)) return
        break
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return this.#function(node, context)
      case 'MethodDefinition':
        if (node.kind === 'constructor' || node.kind === 'set') {
          return this.#function(node.value, context, { kind: 'nothing', async: false })
        }
        break
      case 'ExpressionStatement':
        if (node.directive) return
        this.#statement(node, context)
        return
      case 'ReturnStatement':
        if (node.argument) this.#returned(node.argument, context)
        return
      case 'BlockStatement':
        for (const guard of guardsSameAtTie(node, this.#text)) this.#tied.add(guard)
        break
      case 'IfStatement':
        this.#condition(node.test, context, this.#tied.has(node) || sameAtTie(node, this.#text))
        this.#walk(node.consequent, context)
        if (node.alternate) this.#walk(node.alternate, context)
        return
      case 'ConditionalExpression':
        this.#condition(node.test, context, sameAtTie(node, this.#text))
        this.#walk(node.consequent, context)
        this.#walk(node.alternate, context)
        return
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
        return this.#loop(node, context)
      case 'ForOfStatement':
      case 'ForInStatement':
        this.#walk(node.right, context)
        return this.#walk(node.body, { ...context, looping: true })
      case 'LogicalExpression':
        this.#changes.logical(node)
        break
      case 'UnaryExpression':
        if (node.operator !== '!') break
        if (!isComparison(unwrap(node.argument)))
          this.#list.add('condition', { start: node.start, end: node.start }, '!', node)
        return this.#inside(node.argument, context)
      case 'BinaryExpression':
        return this.#binary(node, context)
      case 'UpdateExpression':
        if (this.#mayStep(node.argument, context)) {
          const at = node.prefix ? node.start : node.end - 2
          this.#list.add('arithmetic', { start: at, end: at + 2 }, node.operator === '++' ? '--' : '++', node)
        }
        return
      case 'AssignmentExpression': {
        const names = namesIn(node.left)
        const goesOn = node.operator !== '=' || namesIn(node.right).some((name) => names.includes(name))
        if (!this.#mayStep(node.left, { ...context, endless: context.endless && goesOn })) return
        const inverse = inverseAssignment[node.operator]
        const joined = node.operator === '+=' && (joins(node.left, this.#joined) || joins(node.right, this.#joined))
        if (inverse && !joined && !isNeutral(node.operator, writtenNumber(node.right)))
          this.#changes.operator('arithmetic', node, inverse)
        break
      }
      case 'CallExpression':
        return this.#call(node, context)
      default:
        if (node.type.startsWith('TS') && !runs.has(node.type)) return
    }
    forEachChild(node, (child) => this.#walk(child, context))
  }

  #function(node: Node, context: Context, given?: Result): void {
    if (!('params' in node) || !('body' in node) || !node.body) return
    const generator = 'generator' in node && node.generator
    const async = 'async' in node && node.async
    const returnType = 'returnType' in node ? node.returnType : null
    const result: Result = given ?? { kind: generator ? 'nothing' : declaredKind(returnType, async), async }
    // A function inside a loop may decide whether the loop continues.
    const inner: Context = { ...context, result, looping: false }
    forEachChild(node, (child) => {
      if (child !== node.body) this.#walk(child, inner)
      else if (node.type === 'ArrowFunctionExpression' && node.expression) this.#returned(child, inner)
      else this.#walk(child, inner)
    })
  }

  #statement(node: Extract<Node, { type: 'ExpressionStatement' }>, context: Context): void {
    const called = calledBy(node.expression)
    if (called) {
      const { call, awaited } = called
      const steers = context.endless || namesIn(call.callee).some((name) => context.steers.has(name))
      const keeps = context.looping && (steers || awaited)
      if (!keeps && isWorthRemoving(call, awaited)) this.#list.add('removed_call', node, ';')
    }
    this.#walk(node.expression, context)
  }

  #call(node: CallExpression, context: Context): void {
    if (isLogging(node) || isModuleWork(node)) return
    this.#walk(node.callee, context)
    for (const argument of node.arguments) {
      const value = unwrap(argument)
      if (slices(node)) this.#changes.place(value)
      if (value.type === 'ArrowFunctionExpression' && value.expression && asks(node)) {
        for (const param of value.params) this.#walk(param, context)
        this.#condition(value.body, { ...context, looping: false })
      } else {
        this.#walk(argument, context)
      }
    }
  }

  #returned(argument: Node, context: Context): void {
    const value = unwrap(argument)
    const other = otherResult(value, this.#list.text(value), context.result, this.#joined)
    if (other !== undefined && context.result.kind !== 'nothing') this.#list.add('return', value, other)
    this.#walk(argument, context)
  }

  #loop(node: Extract<Node, { type: 'WhileStatement' | 'DoWhileStatement' | 'ForStatement' }>, context: Context): void {
    const test = node.test ?? undefined
    const endless = !test || (unwrap(test).type === 'Literal' && this.#list.text(test) !== 'false')
    const steers = new Set([...context.steers, ...(test ? namesIn(test) : [])])
    if (test && this.#list.touches(test) && this.#list.text(test) !== 'false') {
      this.#list.add('condition', test, 'false')
      this.#changes.limits(
        test,
        countsUpTo(test, node.type === 'ForStatement' ? (node.update ?? node.body) : node.body, this.#text),
      )
    }
    if (node.type === 'ForStatement') this.#start(node, context)
    this.#walk(node.body, { ...context, steers, endless: context.endless || endless, looping: true })
  }

  #start({ init, test }: ForStatement, context: Context): void {
    if (!init) return
    const limited = test && unwrap(test).type === 'BinaryExpression'
    if (init.type === 'VariableDeclaration' && limited) {
      for (const { init: first } of init.declarations) if (first) this.#changes.place(unwrap(first))
    }
    this.#walk(init, context)
  }

  /** Mutates an expression that is used as a boolean. */
  #condition(raw: Node, context: Context, sameAtTie = false): void {
    const node = unwrap(raw)
    if (!this.#list.touches(node) || isEnvironment(this.#list.text(node))) return
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      this.#changes.logical(node)
      this.#condition(node.left, context)
      this.#condition(node.right, context)
    } else if (node.type === 'UnaryExpression' && node.operator === '!') {
      if (!isComparison(unwrap(node.argument))) {
        this.#list.add('condition', { start: node.start, end: node.start + 1 }, '', node)
      }
      this.#inside(node.argument, context)
    } else if (node.type === 'BinaryExpression' && isComparison(node)) {
      this.#binary(node, context, sameAtTie)
    } else if (node.type === 'Literal') {
      this.#walk(node, context)
    } else {
      const text = this.#list.text(node)
      this.#list.add('condition', node, needsParentheses(node) ? `!(${text})` : `!${text}`)
      this.#walk(node, context)
    }
  }

  /** The operand of a `!`, which was already mutated. */
  #inside(argument: Node, context: Context): void {
    const node = unwrap(argument)
    if (node.type === 'LogicalExpression' || isComparison(node)) this.#condition(node, context)
    else if (node.type === 'UnaryExpression' && node.operator === '!') this.#walk(unwrap(node.argument), context)
    else this.#walk(node, context)
  }

  #binary(node: BinaryExpression, context: Context, sameAtTie = false): void {
    const { operator } = node
    if (isComparison(node)) {
      const flipped = opposite[operator]
      const loose = strictness[operator]
      if (flipped) this.#changes.operator('condition', node, flipped)
      else this.#list.add('condition', node, `!(${this.#list.text(node)})`)
      if (loose && !sameAtTie) this.#changes.operator('boundary', node, loose)
      if (flipped && !loose && !isParity(node.left)) {
        this.#changes.equal(node.left)
        this.#changes.equal(node.right)
      }
    } else if (inverseArithmetic[operator]) {
      const joined = operator === '+' && joins(node, this.#joined)
      if (joined) return this.#joinedParts(node, context)
      if (!isNeutral(operator, writtenNumber(node.right)) && !isClock(node, this.#text))
        this.#changes.operator('arithmetic', node, inverseArithmetic[operator])
    }
    this.#walk(node.left, context)
    this.#walk(node.right, context)
  }

  /** In `a + b + 'text'` every `+` joins texts. */
  #joinedParts(node: BinaryExpression, context: Context): void {
    for (const part of [node.left, node.right]) {
      const inner = unwrap(part)
      if (inner.type === 'BinaryExpression' && inner.operator === '+') this.#joinedParts(inner, context)
      else this.#walk(part, context)
    }
  }

  readonly #text = (node: Node): string => this.#list.text(node)

  #mayStep(target: Node, { steers, endless, looping }: Context): boolean {
    return !looping || (!endless && !namesIn(target).some((name) => steers.has(name)))
  }
}
