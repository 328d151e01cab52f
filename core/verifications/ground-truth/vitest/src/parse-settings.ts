/** Reads `key = value` lines; empty ones and comments are left out. */
export function parseSettings(text: string): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const at = trimmed.indexOf('=')
    if (at < 1) throw new SyntaxError(`line ${index + 1}: expected key = value`)
    const key = trimmed.slice(0, at).trim()
    if (key in settings) throw new SyntaxError(`line ${index + 1}: ${key} is there already`)
    settings[key] = trimmed.slice(at + 1).trim()
  }
  return settings
}
