import { expect, test } from 'vitest'
import { times } from '../../testing/organization-scene.ts'
import { Slots } from './slots.ts'

/** Takes all slots that these owners can get, and returns their number. */
function fill(slots: Slots, ...owners: string[]): number {
  let taken = 0
  while (slots.take(owners)) taken++
  return taken
}

test('an owner gets half of the slots that the others leave, so that another owner gets one', () => {
  const slots = new Slots(512)
  expect(times(9).map((_, owner) => fill(slots, `owner-${owner}`))).toEqual([256, 128, 64, 32, 16, 8, 4, 2, 1])
  expect(slots.take(['another'])).toBe(true)
  expect(slots.take(['one more'])).toBe(false)
})

test('released slots can be taken again', () => {
  const slots = new Slots(8)
  expect(fill(slots, 'one')).toBe(4)
  expect(fill(slots, 'another')).toBe(2)
  slots.release(['one'], 4)
  expect(slots.free).toBe(6)
  expect(fill(slots, 'another')).toBe(2)
})

test('one user with several organizations counts as one owner, and so does an organization of several users', () => {
  const slots = new Slots(512)
  expect(times(3).map((_, index) => fill(slots, `organization-${index}`, 'user'))).toEqual([256, 0, 0])
  expect(times(3).map((_, index) => fill(slots, 'organization', `user-${index}`))).toEqual([128, 0, 0])
})
