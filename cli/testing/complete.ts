import { vi } from 'vitest'
import { complete } from '../complete.ts'
import { createProgram } from '../program.ts'

/** Returns the completions of the last word, without descriptions. Waits for the server without a limit. */
export async function completionsOf(
  words: readonly string[],
  env: Record<string, string>,
  timeoutMs = 60_000,
): Promise<string[]> {
  // The library prints to the console itself.
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const own = { XDG_CONFIG_HOME: '/nonexistent', DATA_DIR: '/nonexistent' }
    await complete(words, { env: { ...own, ...env }, program: createProgram({ completes: false }), timeoutMs })
    return log.mock.calls.map(([line]) => String(line).split('\t')[0] ?? '')
  } finally {
    log.mockRestore()
  }
}
