import { expect, test, vi } from 'vitest'
import { mapLimited } from '../src/map-limited.ts'

test('calls the function', async () => {
  const map = vi.fn(async (item: number) => item)
  await mapLimited([1, 2, 3], 2, map)
  expect(map).toHaveBeenCalled()
})
