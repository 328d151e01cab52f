import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nightsBetween } from '../src/nights-between.js'

describe('nights between two dates', () => {
  it('counts nights, not days', () => {
    assert.equal(nightsBetween('2026-03-01', '2026-03-02'), 1)
    assert.equal(nightsBetween('2026-03-01', '2026-03-15'), 14)
  })
  it('is none for a day trip', () => {
    assert.equal(nightsBetween('2026-03-01', '2026-03-01'), 0)
  })
  it('knows leap years', () => {
    assert.equal(nightsBetween('2028-02-28', '2028-03-01'), 2)
    assert.equal(nightsBetween('2026-02-28', '2026-03-01'), 1)
  })
  it('refuses what cannot be', () => {
    assert.throws(() => nightsBetween('2026-03-02', '2026-03-01'), /before arriving/)
    assert.throws(() => nightsBetween('soon', '2026-03-01'), TypeError)
    assert.throws(() => nightsBetween('2026-03-01', 'later'), TypeError)
  })
})
