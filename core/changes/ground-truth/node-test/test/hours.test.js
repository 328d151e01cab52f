import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOpen, minutesOf, weeklyHours } from '../src/hours.js'

const day = { opens: '08:30', closes: '18:00' }

test('reads a time', () => {
  assert.equal(minutesOf('00:00'), 0)
  assert.equal(minutesOf('08:30'), 510)
})

test('refuses what is no time', () => {
  assert.throws(() => minutesOf('8:30'), /8:30 is no time/)
  assert.throws(() => minutesOf('08:300'), /is no time/)
})

test('is open between its hours', () => {
  assert.equal(isOpen(day, '08:29'), false)
  assert.equal(isOpen(day, '08:30'), true)
  assert.equal(isOpen(day, '12:00'), true)
  assert.equal(isOpen(day, '18:01'), false)
})

test('adds the hours of a week', () => {
  assert.equal(weeklyHours([]), 0)
  assert.equal(weeklyHours([day, { opens: '10:00', closes: '12:00' }]), 11.5)
})
