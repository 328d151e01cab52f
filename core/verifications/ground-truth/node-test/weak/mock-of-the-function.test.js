import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { LruCache } from '../src/lru-cache.js'

test('gets what was put in', () => {
  const cache = new LruCache(2)
  const get = mock.method(cache, 'get', () => 1)
  cache.set('a', 1)
  assert.equal(cache.get('a'), 1)
  assert.equal(get.mock.callCount(), 1)
})
