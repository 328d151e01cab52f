import { beforeEach, expect, test } from 'vitest'
import { times } from '../../testing/organization-scene.ts'
import { DueEndpoints } from './due-endpoints.ts'
import { Slots } from './slots.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
let now: Date
let due: DueEndpoints
beforeEach(() => {
  now = new Date(start)
  due = new DueEndpoints(() => now)
})

const after = (ms: number) => new Date(start + ms)
const endpoint = (id: string, ...owners: string[]) => ({ id, owners: owners.length > 0 ? owners : ['owner'] })

function divide({ slots = new Slots(512), endpoints = 200, claimsEach = 16 } = {}): Record<string, number> {
  const shares = due.divide(slots, { endpoints, claimsEach })
  return Object.fromEntries(shares.map((share) => [share.endpoint.id, share.maxClaims]))
}

test('owners take turns, however many endpoints one of them has', () => {
  for (const index of times(300).keys()) due.add(endpoint(`busy-${index}`, 'busy'), now)
  due.add(endpoint('first', 'calm'), now)
  due.add(endpoint('second', 'calm'), now)
  expect(divide({ endpoints: 4, claimsEach: 1 })).toEqual({ 'busy-0': 1, first: 1, 'busy-1': 1, second: 1 })
  expect(divide({ endpoints: 2, claimsEach: 1 })).toEqual({ 'busy-2': 1, 'busy-3': 1 })
})

test('divides the free slots evenly among endpoints, within the limits of their owners', () => {
  for (const index of times(3).keys()) due.add(endpoint(`endpoint-${index}`), now)
  expect(divide({ slots: new Slots(16) })).toEqual({ 'endpoint-0': 3, 'endpoint-1': 3, 'endpoint-2': 2 })
  due.add(endpoint('alone'), now)
  expect(divide()).toEqual({ alone: 16 })
})

test('an endpoint stays due until its owners get a slot', () => {
  const slots = new Slots(4)
  due.add(endpoint('busy', 'busy'), now)
  expect(divide({ slots })).toEqual({ busy: 2 })
  due.add(endpoint('busy', 'busy'), now)
  due.add(endpoint('shared', 'organization', 'busy'), now)
  due.add(endpoint('other', 'organization', 'user'), now)
  expect(divide({ slots, claimsEach: 1 })).toEqual({ other: 1 })
  slots.release(['busy'], 2)
  expect(divide({ slots, claimsEach: 1 })).toEqual({ busy: 1, shared: 1 })
})

test('an endpoint becomes due at the earliest time that was given', () => {
  due.add(endpoint('one'), after(1_000))
  due.add(endpoint('two'), after(700))
  due.add(endpoint('one'), after(500))
  due.add(endpoint('one'), after(2_000))
  expect(due.untilNext()).toBe(500)
  expect(divide()).toEqual({})
  now = after(500)
  expect(divide()).toEqual({ one: 16 })
  expect(due.untilNext()).toBe(200)
  now = after(10_000)
  expect(divide()).toEqual({ two: 16 })
  expect(due.untilNext()).toBe(Number.POSITIVE_INFINITY)
})

test('an endpoint with as many deliveries in flight as it may have is due when one of them ends', () => {
  due.add(endpoint('full'), now)
  due.add(endpoint('other'), now)
  divide()
  due.hasCapacity(endpoint('other'))
  due.deliveryEnded(endpoint('other'))
  due.deliveryEnded(endpoint('full'))
  due.deliveryEnded(endpoint('full'))
  expect(divide()).toEqual({ full: 16 })
})
