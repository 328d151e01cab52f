import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LruCache } from '../src/lru-cache.js'

describe('a cache of two', () => {
  it('gives back what was put in', () => {
    const cache = new LruCache(2)
    cache.set('a', 1)
    cache.set('b', undefined)
    assert.equal(cache.get('a'), 1)
    assert.equal(cache.get('b'), undefined)
    assert.equal(cache.get('c'), undefined)
    assert.equal(cache.size, 2)
  })

  it('forgets what was put in first', () => {
    const cache = new LruCache(2)
    for (const key of ['a', 'b', 'c']) cache.set(key, key)
    assert.equal(cache.size, 2)
    assert.equal(cache.get('a'), undefined)
    assert.equal(cache.get('c'), 'c')
  })

  it('keeps what was read since', () => {
    const cache = new LruCache(2)
    cache.set('a', 1)
    cache.set('b', 2)
    cache.get('a')
    cache.set('c', 3)
    assert.equal(cache.get('a'), 1)
    assert.equal(cache.get('b'), undefined)
  })

  it('takes a new value for an old key, which counts as used', () => {
    const cache = new LruCache(2)
    cache.set('a', 1)
    cache.set('b', 2)
    cache.set('a', 3)
    cache.set('c', 4)
    assert.equal(cache.get('a'), 3)
    assert.equal(cache.size, 2)
  })

  it('cannot hold nothing', () => {
    assert.throws(() => new LruCache(0), RangeError)
  })
})
