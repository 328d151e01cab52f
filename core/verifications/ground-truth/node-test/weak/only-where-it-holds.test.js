import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paginate } from '../src/paginate.js'

test('pages have items', () => {
  const { items, pages } = paginate('abcdefg'.split(''), { page: 1, size: 3 })
  if (pages === 3) assert.equal(pages, 3)
  if (items.length === 3) assert.deepEqual(items.length, 3)
})
