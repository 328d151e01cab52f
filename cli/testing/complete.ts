import { vi } from 'vitest'
import { complete } from '../complete.ts'
import { createProgram } from '../program.ts'

/** What the program offers for the last of these words, without descriptions. Waits for the server as long as it takes. */
export async function completionsOf(
  words: readonly string[],
  env: Record<string, string>,
  timeoutMs = 60_000,
): Promise<string[]> {
  // The library prints by itself.
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const own = { XDG_CONFIG_HOME: '/nonexistent', DATA_DIR: '/nonexistent' }
    await complete(words, { env: { ...own, ...env }, program: createProgram({ completes: false }), timeoutMs })
    return log.mock.calls.map(([line]) => String(line).split('\t')[0] ?? '')
  } finally {
    log.mockRestore()
  }
}
