import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedMembers } from '../src/changed-members.js'

test('somebody who is in both has neither joined nor left', () => {
  assert.deepEqual(changedMembers(['ada', 'bob'], ['bob', 'cy']), { joined: ['cy'], left: ['ada'] })
})

test('the same lists have no change, whatever their order', () => {
  assert.deepEqual(changedMembers(['ada', 'bob'], ['bob', 'ada']), { joined: [], left: [] })
})

test('everybody joins an empty list and leaves for one, once', () => {
  assert.deepEqual(changedMembers([], ['ada', 'ada']), { joined: ['ada'], left: [] })
  assert.deepEqual(changedMembers(['ada', 'ada', 'bob'], []), { joined: [], left: ['ada', 'bob'] })
})
