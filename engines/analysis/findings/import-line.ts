const maxLineLength = 2_000

/**
 * Finds the line of an import that always runs: a static one, or a `require` at the beginning of a line. Undefined for
 * imports that a condition or a `try` may guard.
 */
export function lineOfImport(content: string, specifier: string, isPython: boolean): number | undefined {
  const isHere = isPython ? pythonImports : scriptImports
  const at = content.split('\n').findIndex((line) => line.length <= maxLineLength && isHere(line, specifier))
  return at === -1 ? undefined : at + 1
}

function scriptImports(line: string, specifier: string): boolean {
  const at = Math.max(line.indexOf(`'${specifier}'`), line.indexOf(`"${specifier}"`))
  if (at === -1) return false
  const before = line.slice(0, at).trimEnd()
  if (/^(?:const|let|var)\s/.test(line)) return /=\s*require\($/.test(before) && !/[;?|&]/.test(before)
  return /^(?:import|export|\})/.test(before.trimStart()) && /(?:^|[\s}*])(?:from|import)$/.test(before)
}

function pythonImports(line: string, module: string): boolean {
  const [keyword, name = ''] = line.split(/\s+/, 2)
  if (keyword !== 'import' && keyword !== 'from') return false
  return name.replace(/,$/, '').split('.')[0] === module
}
