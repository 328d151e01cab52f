import { expect, test } from 'vitest'
import type { SymbolKind } from '../../../engines/parsing/schema.ts'
import type { Language } from '../../repository/languages.ts'
import { subjectOf } from './symbols.ts'

const subject = (symbol: string, kind: SymbolKind, language: Language, exported?: boolean) =>
  subjectOf({ symbol, kind, exported }, language)

test.each<[string, SymbolKind, Language, object]>([
  ['parse', 'function', 'typescript', { form: 'call', path: ['parse'] }],
  ['$fetch', 'function', 'typescript', { form: 'call', path: ['$fetch'] }],
  ['default', 'function', 'javascript', { form: 'call', path: ['default'] }],
  ['default', 'class', 'typescript', { form: 'construct', path: ['default'] }],
  ['Router', 'class', 'typescript', { form: 'construct', path: ['Router'] }],
  ['Router.handle', 'method', 'typescript', { form: 'method', owner: ['Router'], name: 'handle' }],
  ['Store.delete', 'method', 'typescript', { form: 'method', owner: ['Store'], name: 'delete' }],
  ['Router.constructor', 'method', 'typescript', { form: 'construct', path: ['Router'] }],
  ['Cache.__init__', 'method', 'python', { form: 'construct', path: ['Cache'] }],
  ['(*Cache).Get', 'method', 'go', { form: 'method', owner: ['Cache'], name: 'Get' }],
  ['Cache[K, V].Get', 'method', 'go', { form: 'method', owner: ['Cache'], name: 'Get' }],
  ['Box<Map<K, V>>.get', 'method', 'java', { form: 'method', owner: ['Box'], name: 'get' }],
  ['Cart.Cart', 'method', 'java', { form: 'construct', path: ['Cart'] }],
  ['Cart.<init>', 'method', 'java', { form: 'construct', path: ['Cart'] }],
  ['Rack::Request#params', 'method', 'ruby', { form: 'method', owner: ['Rack', 'Request'], name: 'params' }],
  ['User.valid?', 'method', 'ruby', { form: 'method', owner: ['User'], name: 'valid?' }],
  ['User.self.build', 'method', 'ruby', { form: 'method', owner: ['User'], name: 'build' }],
  ['Parser::new', 'method', 'rust', { form: 'call', path: ['Parser', 'new'] }],
  ['App\\Models\\User::save', 'method', 'php', { form: 'method', owner: ['App', 'Models', 'User'], name: 'save' }],
])('%s, a %s in %s, is accessed as %o', (symbol, kind, language, expected) => {
  expect(subject(symbol, kind, language)).toEqual(expected)
})

test.each<[string, SymbolKind, Language]>([
  ['Router.#secret', 'method', 'typescript'],
  ['Router.[Symbol.iterator]', 'method', 'typescript'],
  ['delete', 'function', 'javascript'],
  ['lambda', 'function', 'python'],
  ['User.[]', 'method', 'ruby'],
  ['ECHO', 'function', 'php'],
  ['a b', 'function', 'go'],
  ['größe', 'function', 'rust'],
  ['x"; import os #', 'function', 'python'],
  ['a..b', 'method', 'typescript'],
  ['foo', 'function', 'other'],
])('%s, a %s in %s, cannot be named in code', (symbol, kind, language) => {
  expect(subject(symbol, kind, language)).toEqual({ form: 'whole' })
})

test('unexported names of a module cannot be imported, and those of a package can be tested inside it', () => {
  expect(subject('parse', 'function', 'typescript', false)).toEqual({ form: 'whole' })
  expect(subject('parse', 'function', 'go', false)).toEqual({ form: 'call', path: ['parse'] })
})
