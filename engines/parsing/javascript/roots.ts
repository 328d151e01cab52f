import type { Node } from 'oxc-parser'
import type { Root } from '../receivers.ts'
import { loadedSpecifier } from './modules.ts'
import { type Child, literalText, unwrap } from './syntax.ts'

/** Globals on which tests and products call members. */
export const javascriptGlobals: ReadonlySet<string> = new Set(
  `Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error Intl JSON Map Math Number Object Promise
  Reflect RegExp Set String Symbol URL URLSearchParams WeakMap WeakSet assert browser chai console crypto cy document
  expect fetch globalThis jasmine jest localStorage navigator page performance process sinon vi window`.split(/\s+/),
)

/** The origin of a value: the variable or module at the beginning of a chain of calls. */
export function rootOf(node: Child): Root {
  let value = node && unwrap(node)
  while (value) {
    const module = loadedSpecifier(value)
    if (module !== undefined) return { module }
    switch (value.type) {
      case 'Identifier':
        return { name: value.name }
      case 'ThisExpression':
        return 'own object'
      case 'Literal':
      case 'TemplateLiteral':
      case 'ArrayExpression':
        return 'language'
      case 'MemberExpression': {
        const object = unwrap(value.object)
        if (object.type === 'ThisExpression') return ownProperty(value)
        value = object
        break
      }
      case 'CallExpression':
      case 'NewExpression': {
        // Loaders of modules, such as `rewire('../lib/parser')`, give what they load.
        const path = value.arguments.map(literalText).find((text) => text !== undefined && /^\.\.?\//.test(text))
        if (path !== undefined) return { module: path }
        value = unwrap(value.callee)
        break
      }
      case 'AwaitExpression':
        value = unwrap(value.argument)
        break
      case 'ChainExpression':
        value = unwrap(value.expression)
        break
      default:
        return undefined
    }
  }
  return undefined
}

/** `this.queue` counts as a variable of the file. */
export function ownProperty(node: Node): { name: string } | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'ThisExpression') return undefined
  return node.property.type === 'Identifier' && !node.computed ? { name: `this.${node.property.name}` } : undefined
}
