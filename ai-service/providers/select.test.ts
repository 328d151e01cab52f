import { expect, test } from 'vitest'
import { createProvider, isAvailable, selectProvider } from './select.ts'

const keyA = { PROVIDER_A_API_KEY: 'a' }
const keyB = { PROVIDER_B_API_KEY: 'b' }

test.each([
  [{}, 'mock', 'default'],
  [keyA, 'provider_a', 'PROVIDER_A_API_KEY'],
  [keyB, 'provider_b', 'PROVIDER_B_API_KEY'],
  [{ ...keyA, ...keyB }, 'provider_a', 'PROVIDER_A_API_KEY'],
  [{ PROVIDER_A_API_KEY: '', ...keyB }, 'provider_b', 'PROVIDER_B_API_KEY'],
  [{ AI_PROVIDER: 'mock' as const, ...keyA, ...keyB }, 'mock', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'mock' as const, ...keyB }, 'mock', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_b' as const, ...keyA }, 'provider_b', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_a' as const, ...keyB }, 'provider_a', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_a' as const }, 'provider_a', 'AI_PROVIDER'],
])('%o selects %s because of %s', (settings, name, by) => {
  expect(selectProvider(settings)).toEqual({ name, by })
})

test('only the mock has a client, and no other is pretended', () => {
  expect(['provider_a', 'provider_b', 'mock'].map((name) => isAvailable(name as 'mock'))).toEqual([false, false, true])
  expect(createProvider('mock').name).toBe('mock')
  expect(() => createProvider('provider_a')).toThrow('this release has no client for provider_a')
})
