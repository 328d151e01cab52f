import { expect, test } from 'vitest'
import { newRequestId } from './request-id.ts'

test('ids of requests differ, and core takes them over', () => {
  const ids = Array.from({ length: 1_000 }, newRequestId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
})
