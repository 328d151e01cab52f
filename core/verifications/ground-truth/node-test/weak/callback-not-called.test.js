import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedMembers } from '../src/changed-members.js'

test('nobody stays who has left', () => {
  const { left } = changedMembers(['ada'], ['ada', 'bob'])
  left.forEach((member) => assert.equal(member, 'ada'))
})
