/** An import statement, or a call of `require` whose result gets a name. */
export interface ScriptImport {
  specifier: string
  isRequire: boolean
  /** The name of the default export, or of everything that CommonJS exports. */
  defaultName?: string
  names: { name: string; local: string }[]
  /** It takes the module as a whole: `* as app`, or everything that CommonJS exports. */
  isWhole: boolean
}

const maxStatement = 2_000
const maxImports = 200

/** Reads the imports of a test from its text. */
export function scriptImports(text: string): ScriptImport[] {
  const found: ScriptImport[] = []
  let start = 0
  while (start < text.length && found.length < maxImports) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, start + 20)
    const statement = text.slice(start, start + maxStatement)
    const read = line.startsWith('import ') || line.startsWith('import{') ? esImport(statement) : /^(?:const|let|var) /.test(line) ? required(statement) : undefined // prettier-ignore
    if (read) found.push(read)
    if (end === -1) break
    start = end + 1
  }
  return found
}

function esImport(statement: string): ScriptImport | undefined {
  const [, written = '', specifier = ''] = /^import\b([^'"`;]*)['"]([^'"\n]+)['"]/.exec(statement) ?? []
  const clause = written.trim()
  if (specifier === '' || !clause.endsWith('from') || clause.startsWith('type ')) return undefined
  const bindings = clause.slice(0, -4).trim()
  const open = bindings.indexOf('{')
  const first = (open === -1 ? bindings : bindings.slice(0, open)).replace(/,\s*$/, '').trim()
  const list = open === -1 ? '' : bindings.slice(open + 1).replace(/\}\s*$/, '')
  return {
    specifier,
    isRequire: false,
    ...(/^[\w$]+$/.test(first) && { defaultName: first }),
    names: namesIn(list, ' as '),
    isWhole: first.startsWith('*'),
  }
}

function required(statement: string): ScriptImport | undefined {
  const [, written = '', specifier = ''] =
    /^(?:const|let|var) ([^=;'"`]*)=\s*require\(\s*['"]([^'"\n]+)['"]\s*\)/.exec(statement) ?? []
  const binding = written.trim()
  if (specifier === '') return undefined
  const isList = binding.startsWith('{') && binding.endsWith('}')
  return {
    specifier,
    isRequire: true,
    ...(/^[\w$]+$/.test(binding) && { defaultName: binding }),
    names: isList ? namesIn(binding.slice(1, -1), ':') : [],
    isWhole: !isList,
  }
}

function namesIn(list: string, joint: string): ScriptImport['names'] {
  return list
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', local = name] = part.split(joint)
      return { name: name.trim(), local: local.trim() }
    })
}
