import {
  generatedContents,
  generatedFolders,
  generatedMarks,
  generatedNames,
  lockfileNames,
} from './generated-rules.ts'

const headBytes = 2_048
const headLines = 40
/** Every mark holds one of these; most files hold none, and are done with at once. */
const markWords = ['enerated', 'ENERATED', 'by hand', 'BY HAND', 'Snapshot v', 'Bison parser']
const minifiable = new Set(['JavaScript', 'CSS'])

/** The path says that a tool wrote the file: a lockfile, a folder of generated code, a generator's suffix. */
export function isGeneratedPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return lockfileNames.has(name) || generatedFolders.test(path) || generatedNames.some((rule) => rule.test(name))
}

/** The content says so. Depends on the base name and the content only, so that the answer may be cached with them. */
export function isGeneratedContent(path: string, content: Buffer, language: string): boolean {
  if (language === 'Binary' || content.length === 0) return false
  const name = path.slice(path.lastIndexOf('/') + 1)
  const head = firstLines(content)
  if (markWords.some((word) => head.includes(word))) {
    const comments = leadingComments(head)
    if (generatedMarks.some((mark) => mark.test(comments))) return true
  }
  if (generatedContents.some(([names, mark]) => names.test(name) && mark.test(head))) return true
  return minifiable.has(language) && (isMinified(content) || namesSourceMap(content))
}

function firstLines(content: Buffer): string {
  const head = content.toString('latin1', 0, headBytes)
  let end = -1
  for (let line = 0; line < headLines; line++) {
    const next = head.indexOf('\n', end + 1)
    if (next < 0) return head
    end = next
  }
  return head.slice(0, end)
}

const lineComment = /^(?:\/\/|#|--|;|%|'|\*|REM\b|<[?!]|["']use \w+["']|package\s)/
const blockComments: Record<string, string> = {
  '/*': '*/',
  '<!--': '-->',
  '"""': '"""',
  "'''": "'''",
  '(*': '*)',
  '{-': '-}',
}

/** The comments that a file begins with, and what may stand before them: `<?php`, `'use strict'`, `package a`. */
function leadingComments(head: string): string {
  const lines: string[] = []
  let closing: string | undefined
  for (const line of head.split('\n')) {
    const code = line.trim()
    if (closing === undefined) {
      const opening = Object.keys(blockComments).find((sign) => code.startsWith(sign))
      if (opening === undefined && code !== '' && !lineComment.test(code)) break
      closing = opening === undefined ? undefined : blockComments[opening]
      if (closing !== undefined && code.slice(opening?.length).includes(closing)) closing = undefined
    } else if (code.includes(closing)) closing = undefined
    lines.push(line)
  }
  return lines.join('\n')
}

/** More than 110 characters a line on average, as linguist has it; a short file proves nothing. */
function isMinified(content: Buffer): boolean {
  const part = content.subarray(0, 65_536)
  if (part.length < 1_024) return false
  let lines = 1
  for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
  return part.length / lines > 110
}

function namesSourceMap(content: Buffer): boolean {
  const tail = content.toString('latin1', Math.max(0, content.length - 512))
  return /^(?:\/\/[#@]|\/\*[#@]) sourceMappingURL=[^\n]*\s*$/m.test(tail)
}
