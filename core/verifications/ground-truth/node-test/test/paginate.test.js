import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { paginate } from '../src/paginate.js'

const letters = 'abcdefg'.split('')

describe('pages of three', () => {
  it('has a full first page', () => {
    assert.deepEqual(paginate(letters, { size: 3 }), { items: ['a', 'b', 'c'], page: 1, pages: 3, hasNext: true })
  })
  it('has what is left on the last page', () => {
    assert.deepEqual(paginate(letters, { page: 3, size: 3 }), { items: ['g'], page: 3, pages: 3, hasNext: false })
  })
  it('has no empty page at the end', () => {
    assert.equal(paginate(letters.slice(0, 6), { size: 3 }).pages, 2)
  })
  it('has one page of nothing', () => {
    assert.deepEqual(paginate([]), { items: [], page: 1, pages: 1, hasNext: false })
  })
  it('refuses pages that are not there', () => {
    for (const page of [0, 4, 1.5]) assert.throws(() => paginate(letters, { page, size: 3 }), RangeError)
  })
})
