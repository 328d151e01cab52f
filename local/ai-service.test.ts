import { expect, test } from 'vitest'
import { isOwnAddress } from './ai-service.ts'

test('recognizes every spelling of the address of the own AI service', () => {
  for (const url of ['http://127.0.0.1:8000', 'http://localhost:8000/']) expect(isOwnAddress(url, 8000)).toBe(true)
  const others = ['http://127.0.0.1:8001', 'https://127.0.0.1:8000', 'http://ai.example.com:8000', 'http://[::1]:8000']
  for (const url of [...others, 'http://127.0.0.1:8000/ai', 'http://127.0.0.1']) {
    expect([url, isOwnAddress(url, 8000)]).toEqual([url, false])
  }
})
