import { expect, test } from 'vitest'
import { locateTarget } from './locate-target.ts'

const cart = `export class Cart {
  add(item) {
    return this.#check(item)
  }
  #check(item) {
    if (!item) throw new Error('nothing')
    return item
  }
}
export class List {
  add(item) {
    return [item]
  }
}
export function total(items) {
  return items.length
}
`
const locate = (symbol: string, lines = {}) => locateTarget({ path: 'src/cart.js', symbol, ...lines }, cart)

test.each([
  ['Cart.add', 2, 4],
  ['Cart.#check', 5, 8],
  ['#check', 5, 8],
  ['total', 15, 17],
])('finds the lines of %s', async (symbol, startLine, endLine) => {
  expect(await locate(symbol)).toEqual({ target: { path: 'src/cart.js', symbol, startLine, endLine } })
})

test('a symbol that moved has its present lines, and one that is gone keeps those it was given', async () => {
  expect(await locate('total', { startLine: 1, endLine: 2 })).toMatchObject({ target: { startLine: 15, endLine: 17 } })
  expect(await locate('gone', { startLine: 1, endLine: 2 })).toMatchObject({ target: { startLine: 1, endLine: 2 } })
})

test('an unknown or ambiguous name gets the nearest names of the file', async () => {
  expect(await locate('totla')).toMatchObject({ known: expect.arrayContaining(['total']) })
  expect(await locate('totla')).toHaveProperty(['known', 0], 'total')
  expect(await locate('add')).toEqual({ known: ['Cart.add', 'List.add'] })
})

test('a target without a symbol, and a file that has no parser, stay as they are', async () => {
  expect(await locateTarget({ path: 'a.js' }, cart)).toEqual({ target: { path: 'a.js' } })
  const text = { path: 'notes.txt', symbol: 'total' }
  expect(await locateTarget(text, cart)).toEqual({ target: text })
  expect(await locateTarget({ path: 'a.py', symbol: 'f' }, 'def f():\n  return 1\n')).toMatchObject({
    target: { startLine: 1, endLine: 2 },
  })
})

test('finds a module that is a function by the name of its file', async () => {
  const source = 'var a = 1\nmodule.exports = function (text) {\n  return text\n}\n'
  const { target } = { target: undefined, ...(await locateTarget({ path: 'lib/parse.js', symbol: 'parse' }, source)) }
  expect(target).toMatchObject({ startLine: 2, endLine: 4 })
})
