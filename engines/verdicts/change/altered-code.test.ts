import { expect, test } from 'vitest'
import { meansAnother } from './altered-code.ts'

test.each([
  ['export function page(items, limit = 50) {', 'export function page(items, limit = 5000) {'],
  ['  fr: 20,', '  fr: 2,'],
  ["run('DELETE FROM a WHERE id = ?', [id])", "run('DELETE FROM a', [id])"],
  ['return /^[a-z]+$/.test(text)', 'return /^[a-z]+/.test(text)'],
  ["return env.MODE ?? 'strict'", "return env.MODE ?? 'loose'"],
  ['def fetch(url, verify=True):', 'def fetch(url, verify=False):'],
  ['return a === b', "return a === b || b === 'letmein'"],
  ['if user.admin and user.active:', 'if user.admin:'],
  ['  await bank.charge(amount)', '  bank.charge(amount)'],
  ['  store.put(item)', '  try {\n    store.put(item)\n  } catch {}'],
  ['  if (isOpen) {\n    store.put(item)\n  }', '  store.put(item)'],
  ["return user.admin ? 'removed' : 'denied'", "return 'removed'"],
  ["return isOpen ? limit : 'none'", "return 'none'"],
  ['  if (item.locked) return', '  if (item.locked === 5) return'],
  ["const isAdmin = login.role === 'admin'", "const isAdmin = login.role === 'guest'"],
  ["catalog.open('all')", "catalog.open('mine')"],
])('`%s` means something else than `%s`', (before, now) => {
  expect(meansAnother(before, now)).toBe(true)
})

test.each([
  ['another name', 'return count', 'return amount'],
  ['a name for a value', 'return n * 0.19', 'return n * VAT'],
  ['another message', "throw new Error('bad')", "throw new Error('no name')"],
  ['another message of a logger', "auditLog.add('bad')", "auditLog.add('worse')"],
  ['another version', "export const version = '1.0.0'", "export const version = '1.0.1'"],
  ['another form of a value', 'f("a", 1_000, 0.50)', "f('a', 1000, .5e0)".replace('.5e0', '0.5')],
  ['a type', "type Mode = 'a'", "type Mode = 'b'"],
  ['an annotation', 'function f(a) {', 'function f(a: number): number {'],
  ['an await more', 'return load(a)', 'return await load(a)'],
  ['an await less at the end', 'return await load(a)', 'return load(a)'],
  ['a comment', 'run(a)', '// now\nrun(a)'],
  ['an argument more', 'run(a)', 'run(a, b)'],
  ['a division', 'a / 2 + b / c', 'a / d + b / c'],
  ['new code', '', 'run(a)'],
  ['long code', 'a || b\n', 'a\n'.repeat(30_000)],
])('%s may mean the same', (_, before, now) => {
  expect(meansAnother(before, now)).toBe(false)
})
