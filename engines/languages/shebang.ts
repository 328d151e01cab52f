import { catalogue } from './catalogue.ts'

/** Languages whose interpreter the first line calls, `env` and its options aside. */
export function shebangLanguages(content: Buffer): number[] {
  if (content[0] !== 0x23 || content[1] !== 0x21) return []
  const head = content.toString('latin1', 2, 512)
  const interpreter = interpreterOf(head)
  const { interpreters } = catalogue()
  // A script for `sh` that replaces itself by another interpreter is a script for that one.
  const inner = interpreter === 'sh' ? execTarget(head) : undefined
  const name = inner ?? interpreter
  return (
    interpreters.get(name) ??
    interpreters.get(name.replace(/\.\d+$/, '')) ??
    interpreters.get(name.replace(/(?<![\d.])[\d.]+$/, '')) ??
    []
  )
}

function interpreterOf(head: string): string {
  const words = (head.split(/\r?\n/, 1)[0] ?? '').trim().split(/\s+/)
  let word = words.shift() ?? ''
  if (baseName(word) === 'env') {
    word = words.find((part) => !part.startsWith('-') && !part.includes('=')) ?? ''
  }
  // `osascript -l JavaScript` runs other languages than its own.
  return baseName(word) === 'osascript' && words.includes('-l') ? '' : baseName(word)
}

function execTarget(head: string): string | undefined {
  const lines = head.split(/\r?\n/).slice(1, 5)
  for (const line of lines) {
    const target = /^\s*exec\s+(\S+)\s.*\$0/.exec(line)?.[1]
    if (target) return baseName(target)
  }
  return undefined
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
